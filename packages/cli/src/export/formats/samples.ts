import type { Rollout } from "@envs/core";
import { FailureError } from "@envs/terminal";
import { sequencesOf } from "@envs/trainer";

import { fieldOf } from "../../runs/rollout-fields.ts";
import { type Exported, jsonLines } from "../format.ts";
import type { RunSource } from "../run-source.ts";

/** One sequence to train on, as trainers read it: lists of the same length. */
export interface Sample {
  readonly environment: string;
  readonly model: string;
  readonly example_key: string;
  readonly example_index: number;
  readonly rollout_index: number;
  /** A rollout whose prompt was rewritten on the way has several sequences, from 0. */
  readonly branch: number;
  readonly reward: number;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly is_truncated: boolean;
  readonly input_ids: readonly number[];
  /** 1 where the model sampled the token. */
  readonly loss_mask: readonly number[];
  /** With which the tokens were sampled; 0 where the mask is 0. */
  readonly logprobs: readonly number[];
}

/** The training samples of a run. Rollouts without token ids are left out, and counted. */
export function samples({ rollouts: all, clauses, model }: RunSource): Exported {
  const rollouts = all.filter((rollout) =>
    clauses.every(({ holds }) => holds((name) => fieldOf(rollout, name))),
  );
  const whole = rollouts.filter(hasTokens);
  const rows = whole.flatMap((rollout) => samplesOf(rollout, model));
  const scored = rollouts.filter(({ status }) => status === "scored").length;
  const bare = scored - whole.length;
  if (rows.length === 0)
    throw new FailureError(
      bare === 0
        ? "No rollout is left, so there is nothing to write."
        : `None of ${bare} rollouts has token ids: text alone does not say which tokens were sampled. Play them again with envs eval --tokens, at a server that reports them, such as vLLM.`,
    );
  return {
    files: [{ path: "samples.jsonl", text: jsonLines(rows) }],
    notes:
      bare === 0 ? [] : [`${bare} of ${scored} rollouts have no token ids, and were left out.`],
  };
}

/** The sequences of one rollout; none if it failed. */
function samplesOf(rollout: Rollout, model: string): readonly Sample[] {
  if (rollout.status === "failed") return [];
  const { environment, exampleKey, exampleIndex, rolloutIndex, isTruncated } = rollout;
  return sequencesOf(rollout).map(({ ids, turns, logprobs }, branch) => ({
    environment,
    model,
    example_key: exampleKey,
    example_index: exampleIndex,
    rollout_index: rolloutIndex,
    branch,
    reward: rollout.reward,
    scores: rollout.scores,
    is_truncated: isTruncated,
    input_ids: ids,
    loss_mask: turns.map((turn) => Number(turn >= 0)),
    logprobs,
  }));
}

function hasTokens(rollout: Rollout): boolean {
  return (
    rollout.status === "scored" && rollout.trajectory.every(({ tokens }) => tokens !== undefined)
  );
}
