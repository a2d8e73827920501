import type { RolloutErrorCode } from "../errors.ts";
import { addUsages, type SubModelUsages, usageOfBranches } from "../model/branch.ts";
import { addUsage, type Usage } from "../model/usage.ts";
import {
  knownUsage,
  otherCalls,
  ownCalls,
  type Rollout,
  type ScoredRollout,
} from "../rollout/record.ts";

interface FactsBase
  extends
    Pick<ScoredRollout, "part" | "exampleIndex" | "exampleKey" | "rolloutIndex" | "seat">,
    Pick<ScoredRollout, "isTruncated" | "isFiltered" | "judgeUsage" | "toolErrors" | "tools"> {
  readonly turns: number;
  /** The tokens of the turns whose usage is known, of all attempts. */
  readonly usage: Usage;
  /** Whether the usage of every turn is known. */
  readonly isUsageKnown: boolean;
  readonly subModelUsage?: SubModelUsages | undefined;
  /** Why the attempts before this one failed. */
  readonly retries?: readonly RolloutErrorCode[] | undefined;
  /** The facts of the other seats that models played. */
  readonly otherSeats?: readonly RolloutFacts[] | undefined;
}

/** What a summary needs of a rollout: everything but its messages. */
export type RolloutFacts =
  | (FactsBase & Pick<ScoredRollout, "status" | "stopReason" | "reward" | "scores">)
  | (FactsBase & {
      readonly status: "failed";
      readonly error: { readonly code: RolloutErrorCode; readonly message: string };
    });

/** The facts of a rollout, which take a small part of its memory. */
export function factsOf(rollout: Rollout): RolloutFacts {
  const { seat, otherSeats } = rollout;
  if (seat === undefined) return sideFacts(rollout);
  const { earlierAttempts: _, branches: _branches, ...withoutAttempts } = rollout;
  const others = Object.entries(otherSeats ?? {}).map(([name, { model: _model, ...side }]) => {
    const played = { ...withoutAttempts, ...side } as Rollout;
    return Object.assign(sideFacts(played), { seat: name });
  });
  return { ...sideFacts(rollout), seat, otherSeats: others };
}

function sideFacts(rollout: Rollout): RolloutFacts {
  const { exampleIndex, exampleKey, rolloutIndex, earlierAttempts = [] } = rollout;
  const { isTruncated, isFiltered, toolErrors, tools } = rollout;
  const base = {
    part: rollout.part,
    exampleIndex,
    exampleKey,
    rolloutIndex,
    turns: rollout.trajectory.length,
    usage: earlierAttempts.reduce(
      (sum, { usage }) => addUsage(sum, usage),
      rollout.usage ?? knownUsage([...rollout.trajectory, ...ownCalls(rollout.unfinishedCalls)]),
    ),
    isUsageKnown: [rollout, ...earlierAttempts].every(({ usage }) => usage !== undefined),
    isTruncated,
    isFiltered,
    judgeUsage: earlierAttempts.reduce(
      (sum, attempt) => addUsages(sum, attempt.judgeUsage),
      rollout.judgeUsage,
    ),
    subModelUsage: earlierAttempts.reduce(
      (sum, attempt) => addUsages(sum, attempt.subModelUsage),
      usageOfBranches(otherCalls(rollout)),
    ),
    toolErrors,
    retries: earlierAttempts.map(({ error }) => error.code),
    tools,
  };
  if (rollout.status === "failed") {
    const { code, message } = rollout.error;
    return { status: "failed", ...base, error: { code, message } };
  }
  const { stopReason, reward, scores } = rollout;
  return { status: "scored", ...base, stopReason, reward, scores };
}
