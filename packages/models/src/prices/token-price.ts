import type { Usage } from "@envs/core/engine";

/** The price of one million tokens, in any currency. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  /** Of input tokens that the server read from its cache. Default: the price of other input tokens. */
  readonly cacheRead?: number | undefined;
  /** Of input tokens that the server wrote to its cache. Default: the price of other input tokens. */
  readonly cacheWrite?: number | undefined;
}

/** What tokens cost, in the currency of the price. Tokens of a cache are a part of the input tokens. */
export function costOf(
  { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage,
  { input, output, cacheRead = input, cacheWrite = input }: TokenPrice,
): number {
  const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const inputCost = uncached * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite;
  return (inputCost + outputTokens * output) / 1e6;
}
