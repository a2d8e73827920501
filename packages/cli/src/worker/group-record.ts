import type { Rollout } from "@envs/core";
import { sequencesOf } from "@envs/trainer";

/** What a rollout broke on. */
export interface FailureRecord {
  readonly rollout_index: number;
  readonly code: string;
  readonly message: string;
}

/**
 * The rollouts of one example, for trainers that pull. Lists go together: one entry for each sequence. A rollout whose
 * prompt was rewritten on the way has several sequences.
 */
export interface GroupRecord {
  readonly environment: string;
  readonly example_id: number;
  readonly example_key: string;
  readonly tokens: readonly (readonly number[])[];
  /** The token itself where the model sampled it, −100 where it was given. */
  readonly masks: readonly (readonly number[])[];
  /** 0 where the token was given. */
  readonly logprobs: readonly (readonly number[])[];
  readonly scores: readonly number[];
  readonly rollout_indices: readonly number[];
  readonly truncated: readonly boolean[];
  /** These have no score: a failure is not a zero. */
  readonly failed: readonly FailureRecord[];
}

/** Writes the rollouts of one example as one record. */
export function groupRecord(group: readonly Rollout[]): GroupRecord {
  const ordered = group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
  const { environment, exampleIndex, exampleKey } = ordered[0]!;
  const sequences = ordered.flatMap((rollout) =>
    rollout.status === "failed" || groupFailure(rollout) !== undefined
      ? []
      : sequencesOf(rollout).map((sequence) => ({ rollout, sequence })),
  );
  return {
    environment,
    example_id: exampleIndex,
    example_key: exampleKey,
    tokens: sequences.map(({ sequence }) => sequence.ids),
    masks: sequences.map(({ sequence: { ids, turns } }) =>
      ids.map((id, place) => (turns[place]! >= 0 ? id : -100)),
    ),
    logprobs: sequences.map(({ sequence }) => sequence.logprobs),
    scores: sequences.map(({ rollout }) => rollout.reward),
    rollout_indices: sequences.map(({ rollout }) => rollout.rolloutIndex),
    truncated: sequences.map(({ rollout }) => rollout.isTruncated),
    failed: ordered.flatMap((rollout) => {
      const failure = groupFailure(rollout);
      return failure === undefined ? [] : [{ rollout_index: rollout.rolloutIndex, ...failure }];
    }),
  };
}

/** Why a rollout cannot be in a group: it failed, or nobody knows its tokens. */
export function groupFailure(
  rollout: Rollout,
): { readonly code: string; readonly message: string } | undefined {
  if (rollout.status === "failed") {
    const { code, message } = rollout.error;
    return { code, message };
  }
  if (rollout.trajectory.every(({ tokens }) => tokens !== undefined)) return undefined;
  return {
    code: "tokens",
    message: "The server did not report token ids, as vLLM does for return_token_ids.",
  };
}
