import { ConfigError } from "@envs/core";

/**
 * How a batch is averaged: the weight of a token, where n_i is the number of trained tokens of sequence i, and B the
 * number of sequences in the batch.
 *
 * - `token`: `1 / Σ n_i`, equal for all tokens (DAPO, Yu et al. 2025; TRL `loss_type="dapo"`, `"cispo"`).
 * - `sequence`: `1 / (B · n_i)`, equal in sum for all sequences (GRPO; TRL `loss_type="grpo"`).
 * - `constant`: `1 / (B · maxCompletionLength)`, independent of lengths (Dr. GRPO, Liu et al. 2025; TRL
 *   `loss_type="dr_grpo"`).
 * - `sum`: `1 / B`, so that the loss of a sequence is scaled by its length. For losses with one ratio per sequence: it
 *   removes GSPO's preference for short replies (LUSPO 2026, arXiv 2602.05261; TRL `loss_type="luspo"`).
 */
export type Aggregation = "token" | "sequence" | "constant" | "sum";

export interface AggregationSettings {
  /** Default `token`. */
  readonly aggregation?: Aggregation | undefined;
  /** Maximum number of trained tokens of a sequence; required for `constant`. */
  readonly maxCompletionLength?: number | undefined;
}

/**
 * The weight of each trained token, by sequence. `trainedTokens` has the count of every sequence of the whole batch, that
 * is, of all data between two optimizer steps.
 */
export function tokenWeights(
  trainedTokens: readonly number[],
  settings: AggregationSettings = {},
): number[] {
  const { aggregation = "token", maxCompletionLength = 0 } = settings;
  const sequences = trainedTokens.length;
  switch (aggregation) {
    case "token": {
      const tokens = trainedTokens.reduce((sum, count) => sum + count, 0);
      return trainedTokens.map((count) => (count === 0 ? 0 : 1 / tokens));
    }
    case "sequence":
      return trainedTokens.map((count) => (count === 0 ? 0 : 1 / (sequences * count)));
    case "sum":
      return trainedTokens.map((count) => (count === 0 ? 0 : 1 / sequences));
    case "constant":
      if (!(maxCompletionLength > 0))
        throw new ConfigError(
          "The aggregation constant needs maxCompletionLength. Set it to the maximum number of tokens that the model samples in one rollout.",
        );
      return trainedTokens.map((count) =>
        count === 0 ? 0 : 1 / (sequences * maxCompletionLength),
      );
  }
}
