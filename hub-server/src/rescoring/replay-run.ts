import type { ScoredRollout } from "@envs/core";
import type { Run } from "@envs/hub-client";
import { recordOf, type ReplayedRollout, type ReplayRequest } from "@envs/records/bundle";

import type { Hub } from "../platform/hub/hub.ts";
import {
  type BundleCode,
  BundleRejection,
  readReplayResponse,
  ReplayProblem,
} from "./bundle-code.ts";
import { recordedGroups } from "./recorded-groups.ts";
import {
  startWorker,
  workerLimits,
  WorkerProblem,
  type WorkerProcess,
} from "./sandbox/worker-process.ts";

/** A recorded rollout and the result of replaying its replies. */
export interface RolloutReplay {
  readonly recorded: ScoredRollout;
  readonly replayed: ReplayedRollout;
}

/** The limits of a replay: times in milliseconds, and a signal that ends it. */
export interface ReplayLimits {
  /** The time limit of the whole run. */
  readonly total: number;
  /** The time limit of the rollouts of one example. */
  readonly group: number;
  readonly signal: AbortSignal;
  /** Replays through another version: its examples may have moved, and groups that it rejects are reported as unplayable. */
  readonly isLenient?: boolean | undefined;
}

/** The maximum size of the rollouts of one example, which are sent together because group scores compare them. */
const maxGroupCharacters = 16 * 2 ** 20;

/**
 * Replays the scored rollouts of a run through a bundle, in a separate process. The process receives the replies, never the
 * scores. Throws a {@link ReplayProblem} if the bundle does not answer within its limits.
 */
export async function* replayRun(
  hub: Hub,
  { id, recipe }: Run,
  { code }: Pick<BundleCode, "code">,
  limits: ReplayLimits,
): AsyncGenerator<RolloutReplay> {
  const deadline = performance.now() + limits.total;
  try {
    const { group: timeoutMs, signal, isLenient = false } = limits;
    using worker = await startWorker(code, workerLimits, { timeoutMs, signal });
    for await (const { exampleIndex: index, exampleKey: key, rollouts } of recordedGroups(
      hub,
      id,
    )) {
      const request: ReplayRequest = {
        ...datasetOf(recipe),
        example: { index, key, isMovable: isLenient },
        rollouts: rollouts.flatMap((rollout) => recordOf(rollout) ?? []),
      };
      const limit = Math.min(limits.group, deadline - performance.now());
      if (limit <= 0)
        throw new ReplayProblem(`The replay took longer than ${limits.total / 1000} seconds.`);
      const replayed = await send(worker, request, limit).catch((error: unknown) => {
        if (!isLenient || !(error instanceof BundleRejection)) throw error;
        return rollouts.map(() => ({ problem: error.message }));
      });
      for (const [position, recorded] of rollouts.entries())
        yield { recorded, replayed: replayed[position]! };
    }
  } catch (error) {
    limits.signal.throwIfAborted();
    if (error instanceof WorkerProblem) throw new ReplayProblem(error.message);
    throw error;
  }
}

async function send(
  worker: WorkerProcess,
  params: ReplayRequest,
  timeoutMs: number,
): Promise<readonly ReplayedRollout[]> {
  const text = JSON.stringify({ method: "replay", params });
  if (text.length > maxGroupCharacters)
    throw new ReplayProblem(
      `The rollouts of example ${params.example.index} have ${text.length} characters; the sandbox accepts at most ${maxGroupCharacters}.`,
    );
  return readReplayResponse(await worker.request(text, timeoutMs), params.rollouts.length);
}

function datasetOf({ config, seed, split, details }: Run["recipe"]) {
  const { maxTurns } = details;
  return {
    config,
    seed: seed ?? undefined,
    split: split ?? undefined,
    maxTurns: typeof maxTurns === "number" ? maxTurns : undefined,
  };
}
