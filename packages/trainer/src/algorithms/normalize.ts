import { ConfigError } from "@envs/core";

/**
 * What the sum over tokens is divided by. n_i: trained tokens of sequence i; B: sequences of the batch.
 *
 * - `token`: `1 / Σ n_i`, every token counts the same (DAPO, Yu et al. 2025; TRL `loss_type="dapo"`, `"cispo"`).
 * - `sequence`: `1 / (B · n_i)`, every sequence counts the same (GRPO; TRL `loss_type="grpo"`).
 * - `constant`: `1 / (B · maxCompletionLength)`, no length is favoured (Dr. GRPO, Liu et al. 2025; TRL
 *   `loss_type="dr_grpo"`).
 */
export type Aggregation = "token" | "sequence" | "constant";

/** How a batch is averaged. */
export interface NormalizeSettings {
  /** Default `token`. */
  readonly aggregation?: Aggregation;
  /** What `constant` divides by: the most tokens a sequence may be trained on. */
  readonly maxCompletionLength?: number;
}

/**
 * The weight of each trained token, by sequence, from how many trained tokens each sequence of the *whole* batch has:
 * everything between two steps of the optimiser, however it is cut into shards.
 */
export function tokenWeights(
  trainedTokens: readonly number[],
  settings: NormalizeSettings = {},
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
    case "constant":
      if (!(maxCompletionLength > 0))
        throw new ConfigError(
          "The aggregation constant divides by maxCompletionLength, which is missing. Give the most tokens that the model may write in one rollout.",
        );
      return trainedTokens.map((count) =>
        count === 0 ? 0 : 1 / (sequences * maxCompletionLength),
      );
  }
}
