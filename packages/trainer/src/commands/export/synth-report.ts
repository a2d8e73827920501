import { type Message, type Rollout, textOf } from "@envs/core";

import type { Exclusion, FilterResult } from "./filter-rollouts.ts";

/** A report on the training data created from a run. */
export interface SynthReport {
  readonly rollouts: number;
  readonly kept: number;
  readonly excluded: readonly Exclusion[];
  /** Tokens are estimated. */
  readonly lengths: {
    readonly [unit in "turns" | "characters" | "tokens"]?: LengthStatistics | undefined;
  };
  readonly fit: { readonly sequenceLength: number; readonly share: number } | undefined;
}

/** Reports how many rollouts were kept, why others were excluded, and the lengths of the conversations. */
export function createSynthReport(
  rollouts: readonly Rollout[],
  { kept, excluded }: FilterResult,
  sequenceLength: number | undefined,
): SynthReport {
  const conversations = kept.map(({ prompt, completion }) => [...prompt, ...completion]);
  const tokens = conversations.map(estimateTokens);
  return {
    rollouts: rollouts.length,
    kept: kept.length,
    excluded,
    lengths: {
      turns: summarizeLengths(kept.map(({ trajectory }) => trajectory.length)),
      characters: summarizeLengths(conversations.map(countCharacters)),
      tokens: summarizeLengths(tokens),
    },
    fit:
      sequenceLength === undefined || tokens.length === 0
        ? undefined
        : { sequenceLength, share: shareWithin(tokens, sequenceLength) },
  };
}

/** Statistics over the lengths of conversations. */
interface LengthStatistics {
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  /** The 95th percentile. */
  readonly p95: number;
  readonly max: number;
}

/** Counts the characters of all messages, including reasoning and tool calls. */
export function countCharacters(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    if (message.role !== "assistant") return sum + textOf(message.content).length;
    const { content, reasoning_content: reasoning = "", tool_calls: calls = [] } = message;
    const callText = calls.map(({ function: { name, arguments: text } }) => name + text).join("");
    return sum + content.length + reasoning.length + callText.length;
  }, 0);
}

/** Estimates tokens: about four characters each in English text. */
function estimateTokens(messages: readonly Message[]): number {
  return Math.ceil(countCharacters(messages) / 4);
}

/** Computes the statistics of lengths. Returns `undefined` for an empty list. */
export function summarizeLengths(lengths: readonly number[]): LengthStatistics | undefined {
  const sorted = lengths.toSorted((a, b) => a - b);
  const [min] = sorted;
  if (min === undefined) return undefined;
  const quantile = (fraction: number): number => sorted[Math.ceil(fraction * sorted.length) - 1]!;
  const middle = sorted.length / 2;
  return {
    min,
    median: Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : quantile(0.5),
    mean: sorted.reduce((sum, length) => sum + length, 0) / sorted.length,
    p95: quantile(0.95),
    max: sorted.at(-1)!,
  };
}

/** The fraction of lengths up to `limit`. */
export function shareWithin(lengths: readonly number[], limit: number): number {
  return lengths.filter((length) => length <= limit).length / lengths.length;
}
