import type { Run } from "@envs/hub-client";
import type { ReplayedRollout, ReplayRequest } from "@envs/records/bundle";

import {
  type BundleCode,
  type BundleMethod,
  readReplayResponse,
  readResponse,
  ReplayProblem,
} from "./bundle-code.ts";
import { startWorker, workerLimits, WorkerProblem } from "./sandbox/worker-process.ts";

/** The limits of a replay: times in milliseconds, and a signal that ends it. */
export interface ReplayLimits {
  /** The time limit of the whole run. */
  readonly total: number;
  /** The time limit of the rollouts of one example. */
  readonly group: number;
  readonly signal: AbortSignal;
}

/** A separate process that runs a bundle. Its methods throw a {@link ReplayProblem} if it does not answer within its limits. */
export interface BundleProcess extends Disposable {
  readonly replay: (request: ReplayRequest) => Promise<readonly ReplayedRollout[]>;
  /** Calls another method of the bundle, and returns its result. */
  readonly call: (
    method: BundleMethod,
    params: object,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

/** The maximum size of the rollouts of one example, which are sent together because group scores compare them. */
const maxGroupCharacters = 16 * 2 ** 20;

/** Starts a process for a bundle. It receives replies, never scores. */
export async function startBundle(
  { code }: Pick<BundleCode, "code">,
  { total, group, signal }: ReplayLimits,
): Promise<BundleProcess> {
  const deadline = performance.now() + total;
  const translated = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WorkerProblem) throw new ReplayProblem(error.message);
      throw error;
    }
  };
  const worker = await translated(startWorker(code, workerLimits, { timeoutMs: group, signal }));
  const exchange = async (text: string): Promise<string> => {
    const limit = Math.min(group, deadline - performance.now());
    if (limit <= 0) throw new ReplayProblem(`The replay took longer than ${total / 1000} seconds.`);
    return await translated(worker.request(text, limit));
  };
  return {
    async replay(params) {
      const text = JSON.stringify({ method: "replay", params });
      if (text.length > maxGroupCharacters)
        throw new ReplayProblem(
          `The rollouts of example ${params.example.index} have ${text.length} characters; the sandbox accepts at most ${maxGroupCharacters}.`,
        );
      return readReplayResponse(await exchange(text), params.rollouts.length);
    },
    call: async (method, params) =>
      readResponse(await exchange(JSON.stringify({ method, params }))),
    [Symbol.dispose]: () => worker[Symbol.dispose](),
  };
}

/** The dataset of a run, as requests to a bundle name it. */
export function datasetOf({
  config,
  seed,
  split,
  details,
}: Pick<Run["recipe"], "config" | "seed" | "split" | "details">) {
  const { maxTurns } = details;
  return {
    config,
    seed: seed ?? undefined,
    split: split ?? undefined,
    maxTurns: typeof maxTurns === "number" ? maxTurns : undefined,
  };
}
