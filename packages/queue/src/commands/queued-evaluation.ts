import { hostname } from "node:os";

import { shellArgument } from "@envs/cli/kit";
import type { OpenQueuedPlay } from "@envs/cli/kit/runs";
import type { Environment, Example, Rollout, RolloutsOptions } from "@envs/core";
import { isConfigError, redactUrl } from "@envs/core/engine";

import { queuedRollouts } from "../coordinator.ts";
import type { CoordinatorQueue, QueuedRun } from "../queue.ts";
import { work } from "../worker.ts";
import { leaveQueue } from "./leave-queue.ts";
import { openedQueue, type OpenedQueue, queueChoice, savedQueue } from "./queue-choice.ts";
import { formatPlan, sharedEnvironment } from "./queued-plan.ts";

export interface QueuedRolloutsPlay extends OpenedQueue {
  readonly run: QueuedRun;
  readonly note: (text: string) => void;
}

/**
 * Opens the queue that a command line names, or that a resumed run was started in; `undefined` if this process plays. A run that
 * was interrupted continues with the rollouts that workers have played since, unless its settings have changed, for example the
 * base URL.
 */
export const openQueuedPlay: OpenQueuedPlay = async ({ args, resumed, outputs, note, ...run }) => {
  const choice = queueChoice(args, { saved: resumed?.address, note });
  if (choice === undefined) {
    if (resumed !== undefined) await leaveQueue(resumed, note);
    return undefined;
  }
  const plan = formatPlan({
    environment: await sharedEnvironment(run.environment, run.files),
    play: run.plan,
    config: run.plan.config,
    endpoints: run.endpoints,
  });
  const opened = await openedQueue(choice, outputs, note);
  const address = savedQueue(opened.reference);
  const isHere = resumed?.address === address;
  if (resumed !== undefined && !isHere) await leaveQueue(resumed, note);
  const isSame = isHere && (await isContinued(opened.queue, { id: resumed.run, plan }));
  const id = isSame ? resumed.run : crypto.randomUUID();
  return {
    record: { run: id, address },
    play: (environment, options) =>
      playThroughQueue(environment, options, { ...opened, run: { id, plan }, note }),
    [Symbol.asyncDispose]: () => opened.queue[Symbol.asyncDispose](),
  };
};

/** Opens a run again. Cancels it if its plan has changed. */
async function isContinued(queue: CoordinatorQueue, run: QueuedRun): Promise<boolean> {
  if ((await queue.state(run.id)) !== "open") return false;
  try {
    await queue.start(run);
    return true;
  } catch (error) {
    if (!isConfigError(error)) throw error;
    await queue.cancel(run.id);
    return false;
  }
}

/** Plays rollouts through a queue; for an embedded queue, with a worker in this process. */
export async function* playThroughQueue(
  environment: Environment,
  options: RolloutsOptions<Example, string, string>,
  { queue, reference, isEmbedded, maxQueued, run, note }: QueuedRolloutsPlay,
): AsyncGenerator<Rollout> {
  const { select, examples, rolloutsPerExample, split, shuffle, seed, skip, ...rest } = options;
  const stop = new AbortController();
  const worker = isEmbedded ? workHere() : noteMissingWorkers();
  try {
    yield* queuedRollouts(environment, {
      queue,
      run,
      select,
      examples,
      rolloutsPerExample,
      split,
      shuffle,
      seed,
      skip,
      maxQueued,
      signal: options.signal,
      onEvent: options.onEvent,
      onUnavailable: ({ message }) => note(`${message} Trying again.`),
    });
  } finally {
    stop.abort();
    await worker;
  }

  async function workHere(): Promise<void> {
    const { concurrency, signal, onEvent: _, ...play } = rest;
    await work(queue, {
      host: hostname(),
      concurrency,
      prepare: async ({ id }) => {
        if (id !== run.id) throw new Error("The command of this worker plays another run.");
        return {
          environment,
          options: { ...play, rolloutsPerExample, seed, split },
          [Symbol.asyncDispose]: async () => {},
        };
      },
      signal: stop.signal,
      abort: signal,
    });
  }

  /** Reports the workers that refuse the run, and whether no worker plays it. */
  async function noteMissingWorkers(): Promise<void> {
    const noted = new Set<string>();
    const noteOnce = (text: string): void => {
      if (!noted.has(text)) note(text);
      noted.add(text);
    };
    while (!stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, checkMs);
        stop.signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
      });
      if (stop.signal.aborted) return;
      const workers = await queue.workers().catch(() => undefined);
      const alive = workers?.filter(({ isAlive }) => isAlive) ?? [];
      for (const { host, refused } of alive)
        for (const { runId, reason } of refused)
          if (runId === run.id) noteOnce(`The worker on ${host} cannot play this run: ${reason}`);
      if (workers === undefined || alive.some(({ ready }) => ready.includes(run.id))) continue;
      noteOnce(
        `No worker plays this run yet. Start one on any machine: envs queue worker --queue ${shellArgument(redactUrl(reference))}`,
      );
    }
  }
}

const checkMs = 3000;
