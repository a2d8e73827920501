import { FailureError } from "@envs/cli/kit";
import { fieldValue } from "@envs/cli/kit/runs";
import type { Rollout } from "@envs/core";
import { mediaParts } from "@envs/core/engine";
import { sidesOf } from "@envs/records";

import { hasTokens, sequencesOf } from "../../../algorithms/trajectory.ts";
import { type ExportResult, toJsonLines } from "../export-files.ts";
import type { RunSource } from "../run-source.ts";
import type { SftOptions } from "./sft.ts";

/** A row of `samples.jsonl`: one token sequence to train on. All lists have the same length. */
export interface Sample {
  readonly environment: string;
  readonly model: string;
  readonly example_key: string;
  readonly example_index: number;
  readonly rollout_index: number;
  /** Absent without seats. */
  readonly seat?: string | undefined;
  /**
   * The sequence's index in its rollout. A rollout has several sequences if its prompt was rewritten between turns, or if an
   * agent has forked or compacted its conversation.
   */
  readonly branch: number;
  /** Whether the sequence is of sub-model calls. Absent for the rollout's own turns. */
  readonly is_sub_model?: true | undefined;
  readonly reward: number;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly is_truncated: boolean;
  readonly input_ids: readonly number[];
  /** 1 for a token that the model sampled, else 0. */
  readonly loss_mask: readonly number[];
  /** The log-probability of each sampled token; 0 where the mask is 0. */
  readonly logprobs: readonly number[];
}

/** Exports a run's training samples, with `branches` also those of sub-model calls. Excludes rollouts without token ids and notes their number. */
export function samples(
  { rollouts, clauses, model }: RunSource,
  { branches = false, seats = false }: Pick<SftOptions, "branches" | "seats"> = {},
): ExportResult {
  const sides = seats ? rollouts.flatMap(sidesOf) : rollouts;
  const selected = sides.filter((rollout) =>
    clauses.every(({ matches }) => matches((name) => fieldValue(rollout, name))),
  );
  const scored = selected.filter(({ status }) => status === "scored");
  const withTokens = scored.filter((rollout) => hasTokens(rollout, { branches }));
  const withMedia = selected.find(({ prompt, completion }) =>
    [...prompt, ...completion].some(({ content }) => mediaParts(content).length > 0),
  );
  if (withMedia !== undefined)
    throw new FailureError(
      `The rollouts contain images, audio or files (example ${withMedia.exampleIndex}), which token ids alone do not carry. Export the conversations instead: envs export sft`,
    );
  const rows = withTokens.flatMap((rollout) => samplesOf(rollout, model, branches));
  const missing = scored.length - withTokens.length;
  const unknownCalls = branches
    ? scored.filter((rollout) => hasTokens(rollout)).length - withTokens.length
    : 0;
  if (rows.length === 0) throw new FailureError(noRows(missing, unknownCalls));
  return {
    files: [{ path: "samples.jsonl", text: toJsonLines(rows) }],
    notes:
      missing === 0
        ? []
        : [`Excluded ${missing} of ${scored.length} rollouts: they have no token ids.`],
  };
}

function noRows(missing: number, unknownCalls: number): string {
  if (missing === 0) return "No rollout matches, so no file was written.";
  if (unknownCalls > 0)
    return `No file was written: the sub-model calls of ${unknownCalls} rollouts have no token ids, because envs eval --tokens requests them of the model that plays only. Export without --branches, or run the evaluation again without --sub-model.`;
  return `None of the ${missing} rollouts has token ids. Run the evaluation again with envs eval --tokens and a server that returns token ids, such as vLLM.`;
}

/** Returns no samples for a failed rollout. */
function samplesOf(rollout: Rollout, model: string, branches: boolean): readonly Sample[] {
  if (rollout.status === "failed") return [];
  const { environment, exampleKey, exampleIndex, rolloutIndex, seat, isTruncated } = rollout;
  const own = sequencesOf(rollout).length;
  return sequencesOf(rollout, { branches }).map(({ ids, turns, logprobs }, branch) => ({
    environment,
    model,
    example_key: exampleKey,
    example_index: exampleIndex,
    rollout_index: rolloutIndex,
    seat,
    branch,
    is_sub_model: branch >= own ? (true as const) : undefined,
    reward: rollout.reward,
    scores: rollout.scores,
    is_truncated: isTruncated,
    input_ids: ids,
    loss_mask: turns.map((turn) => Number(turn >= 0)),
    logprobs,
  }));
}
