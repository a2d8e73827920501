import type { Usage } from "@envs/core/engine";

/** The price of one million tokens, in any currency. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  /** The price of input tokens that the server read from its cache. Default: the price of other input tokens. */
  readonly cacheRead?: number | undefined;
  /** The price of input tokens that the server wrote to its cache. Default: the price of other input tokens. */
  readonly cacheWrite?: number | undefined;
}

/** The cost of tokens, in the currency of the price. Cached tokens are a part of the input tokens. */
export function costOf(
  { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage,
  { input, output, cacheRead = input, cacheWrite = input }: TokenPrice,
): number {
  const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const inputCost = uncached * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite;
  return (inputCost + outputTokens * output) / 1e6;
}
