import type { Usage } from "./model.ts";

/** The price of one million tokens, in any currency. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/** What tokens cost, in the currency of the price. Tokens of a cache count as other input tokens. */
export function costOf(
  { inputTokens, outputTokens }: Pick<Usage, "inputTokens" | "outputTokens">,
  { input, output }: TokenPrice,
): number {
  return (inputTokens * input + outputTokens * output) / 1e6;
}
