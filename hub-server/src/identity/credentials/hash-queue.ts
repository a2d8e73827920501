import { HubError } from "../../platform/errors/hub-error.ts";

/** What a queue has done and what it has to do. */
export interface QueueStatistics {
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
}

/** Runs few jobs at once, so that a flood of them cannot take the machine; when too many wait, the next is declined. */
export function hashQueue({ atOnce, mostWaiting }: { atOnce: number; mostWaiting: number }) {
  const waiting: (() => void)[] = [];
  let [done, running] = [0, 0];

  async function run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (running >= atOnce) {
      if (waiting.length >= mostWaiting)
        throw new HubError("busy", {
          message: "Too many logins at this moment. Try again in a few seconds.",
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
