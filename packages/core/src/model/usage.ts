import { omitUndefined } from "../json.ts";

/** Token counts of one model call, as its server reports them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens the server read from its cache. Omitted if none, or unknown. */
  readonly cacheReadTokens?: number | undefined;
  /** How many of the input tokens the server wrote to its cache. Omitted if none, or unknown. */
  readonly cacheWriteTokens?: number | undefined;
  /** Whether counts are estimates of four characters a token, because the server has not reported them. */
  readonly isEstimated?: boolean | undefined;
}

/** The tokens of a prompt that stand for one image or sound. */
export interface Placeholder {
  /** The index of the first placeholder in `promptIds`. */
  readonly offset: number;
  readonly length: number;
}

/** The exact tokens of one model call, for trainers. The two completion lists have the same length. */
export interface TokenTrace {
  /** An image has one placeholder for each feature that the model computes. The image itself is in the messages. */
  readonly promptIds: readonly number[];
  /** Where the placeholders are, by modality, such as `image`. Omitted if the server does not report it. */
  readonly placeholders?: Readonly<Record<string, readonly Placeholder[]>> | undefined;
  readonly completionIds: readonly number[];
  /** Natural logarithms of the sampling probabilities. */
  readonly completionLogprobs: readonly number[];
}

/** No tokens. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Adds token counts. Unknown ones count as 0. */
export function addUsage(left: Usage, right: Usage | undefined): Usage {
  if (right === undefined) return left;
  const sum = (name: keyof Omit<Usage, "isEstimated">): number | undefined =>
    left[name] === undefined ? right[name] : left[name] + (right[name] ?? 0);
  return omitUndefined({
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    isEstimated: left.isEstimated === true ? true : right.isEstimated,
  });
}
