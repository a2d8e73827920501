import type { Rollout } from "@envs/core";

import {
  type Count,
  characters,
  estimatedTokens,
  type Lengths,
  lengthsOf,
  shareThatFits,
} from "./conversation-lengths.ts";
import type { LeftOut, Sifted } from "./filter-rollouts.ts";

export interface ReportOptions {
  /** Counts tokens as the model to be trained does. Default: an estimate. */
  readonly count?: Count | undefined;
  readonly sequenceLength?: number | undefined;
}

/** What training data were made of a run. */
export interface SynthReport {
  readonly rollouts: number;
  readonly kept: number;
  readonly leftOut: readonly LeftOut[];
  readonly lengths: { readonly [unit in "turns" | "characters" | "tokens"]?: Lengths | undefined };
  /** Tokens are a fourth of the characters: no tokenizer was at hand. */
  readonly isEstimate: boolean;
  readonly fit: { readonly sequenceLength: number; readonly share: number } | undefined;
}

/** Reports what was kept, what was left out and why, and how long the conversations are. */
export function reportOf(
  rollouts: readonly Rollout[],
  { kept, leftOut }: Sifted,
  { count, sequenceLength }: ReportOptions,
): SynthReport {
  const conversations = kept.map(({ prompt, completion }) => [...prompt, ...completion]);
  const tokens = conversations.map(count ?? estimatedTokens);
  return {
    rollouts: rollouts.length,
    kept: kept.length,
    leftOut,
    lengths: {
      turns: lengthsOf(kept.map(({ trajectory }) => trajectory.length)),
      characters: lengthsOf(conversations.map(characters)),
      tokens: lengthsOf(tokens),
    },
    isEstimate: count === undefined,
    fit:
      sequenceLength === undefined || tokens.length === 0
        ? undefined
        : { sequenceLength, share: shareThatFits(tokens, sequenceLength) },
  };
}
