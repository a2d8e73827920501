import type { Rollout } from "@envs/core";

import {
  countCharacters,
  estimateTokens,
  type LengthFunction,
  type LengthStatistics,
  shareWithin,
  summarizeLengths,
} from "./conversation-length.ts";
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
