import type { Message } from "@envs/core";

/** How long a conversation is: in tokens of a model, in characters, in turns. */
export type Count = (messages: readonly Message[]) => number;

/** How the lengths of conversations spread. */
export interface Lengths {
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  /** 95 of 100 are at most this long. */
  readonly p95: number;
  readonly max: number;
}

/** Characters of everything that is said, thoughts and tool calls too. */
export const characters: Count = (messages) =>
  messages.reduce((sum, message) => {
    if (message.role !== "assistant") return sum + message.content.length;
    const { content, reasoning_content: thoughts = "", tool_calls: calls = [] } = message;
    const called = calls.map(({ function: { name, arguments: text } }) => name + text).join("");
    return sum + content.length + thoughts.length + called.length;
  }, 0);

/** Tokens where no tokenizer is at hand: in English text, one stands for about four characters. */
export const estimatedTokens: Count = (messages) => Math.ceil(characters(messages) / 4);

/** Sums up how long conversations are; `undefined` if there are none. */
export function lengthsOf(sizes: readonly number[]): Lengths | undefined {
  const sorted = sizes.toSorted((a, b) => a - b);
  const [min] = sorted;
  if (min === undefined) return undefined;
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
  const middle = sorted.length / 2;
  return {
    min,
    median: Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : at(0.5),
    mean: sorted.reduce((sum, size) => sum + size, 0) / sorted.length,
    p95: at(0.95),
    max: sorted.at(-1)!,
  };
}

/** The share of conversations of at most `limit`. */
export function shareThatFits(sizes: readonly number[], limit: number): number {
  return sizes.filter((size) => size <= limit).length / sizes.length;
}
