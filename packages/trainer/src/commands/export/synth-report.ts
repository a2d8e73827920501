import { type Message, type Rollout, textOf } from "@envs/core";

import type { Exclusion, FilterResult } from "./filter-rollouts.ts";

export interface SynthReportOptions {
  /** Counts tokens with the tokenizer of the model to train. Default: an estimate. */
  readonly countTokens?: LengthFunction | undefined;
  readonly sequenceLength?: number | undefined;
}

/** A report on the training data created from a run. */
export interface SynthReport {
  readonly rollouts: number;
  readonly kept: number;
  readonly excluded: readonly Exclusion[];
  readonly lengths: {
    readonly [unit in "turns" | "characters" | "tokens"]?: LengthStatistics | undefined;
  };
  /** Tokens are estimated because there is no tokenizer. */
  readonly isEstimate: boolean;
  readonly fit: { readonly sequenceLength: number; readonly share: number } | undefined;
}

/** Reports how many rollouts were kept, why others were excluded, and the lengths of the conversations. */
export function createSynthReport(
  rollouts: readonly Rollout[],
  { kept, excluded }: FilterResult,
  { countTokens, sequenceLength }: SynthReportOptions,
): SynthReport {
  const conversations = kept.map(({ prompt, completion }) => [...prompt, ...completion]);
  const tokens = conversations.map(countTokens ?? estimateTokens);
  return {
    rollouts: rollouts.length,
    kept: kept.length,
    excluded,
    lengths: {
      turns: summarizeLengths(kept.map(({ trajectory }) => trajectory.length)),
      characters: summarizeLengths(conversations.map(countCharacters)),
      tokens: summarizeLengths(tokens),
    },
    isEstimate: countTokens === undefined,
    fit:
      sequenceLength === undefined || tokens.length === 0
        ? undefined
        : { sequenceLength, share: shareWithin(tokens, sequenceLength) },
  };
}

/** Measures a conversation, for example in tokens or characters. */
type LengthFunction = (messages: readonly Message[]) => number;

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
export const countCharacters: LengthFunction = (messages) =>
  messages.reduce((sum, message) => {
    if (message.role !== "assistant") return sum + textOf(message.content).length;
    const { content, reasoning_content: reasoning = "", tool_calls: calls = [] } = message;
    const callText = calls.map(({ function: { name, arguments: text } }) => name + text).join("");
    return sum + content.length + reasoning.length + callText.length;
  }, 0);

/** Estimates tokens without a tokenizer: about four characters each in English text. */
const estimateTokens: LengthFunction = (messages) => Math.ceil(countCharacters(messages) / 4);

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
