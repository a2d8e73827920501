import { HubError } from "../../platform/errors/hub-error.ts";

/** Counts of finished, running and waiting jobs. */
export interface QueueStatistics {
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
}

/** Limits concurrent jobs, so that a flood of logins cannot exhaust the machine. Throws `busy` when the queue is full. */
export function hashQueue({
  concurrency,
  maxWaiting,
}: {
  concurrency: number;
  maxWaiting: number;
}) {
  const waiting: (() => void)[] = [];
  let [done, running] = [0, 0];

  async function run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting)
        throw new HubError("busy", {
          message: "Too many concurrent logins. Try again in a few seconds.",
          headers: { "retry-after": "5" },
        });
      await new Promise<void>((resolve) => void waiting.push(resolve));
    } else running += 1;
    try {
      return await job();
    } finally {
      done += 1;
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }
  return { run, statistics: (): QueueStatistics => ({ done, running, waiting: waiting.length }) };
}
