import type { Interval } from "./interval.ts";

/** What one way of replying earns, without any model. */
export interface Probe {
  /** `policy:<name>`, `mixed up` or `scrambled`. */
  readonly name: string;
  /** The mean reward; null if every rollout failed. */
  readonly reward: number | null;
  /** How much more the first policy earns on the same examples. */
  readonly lead?: Interval;
}

/** Rollouts that have no reward. */
export interface Failures {
  readonly played: number;
  readonly failed: number;
  /** How many failed with which code. */
  readonly codes: Readonly<Record<string, number>>;
  /** What the first of them said. */
  readonly message?: string;
}

/** What reinforcement learning did to the reward. */
export interface Learning {
  /** Conversations with a weak teacher that the model began with, and steps of imitating it. */
  readonly conversations: number;
  readonly warmUpSteps: number;
  /** Tokens of half of the conversations, at most. */
  readonly medianTokens: number;
  readonly vocabulary: number;
  readonly steps: number;
  /** Rollouts that were learned from. */
  readonly rollouts: number;
  /** Examples that were held back, and rollouts of each: what the reward is measured on. */
  readonly examples: number;
  readonly rolloutsPerExample: number;
  /** The dataset is so small that what is measured on was learned from, too. */
  readonly isShared: boolean;
  /** Mean reward before and after. */
  readonly before: number;
  readonly after: number;
  /** After less before, paired by example. */
  readonly difference: Interval;
  /** Standard deviation of the reward among rollouts of one example. */
  readonly deviation: number;
  /** Mean reward of each step's rollouts, and how much a straight line through it rises. */
  readonly rewards: readonly number[];
  readonly rise?: Interval;
  /** The share of groups whose rewards were all equal. */
  readonly zeroVariance: number;
  /** The share of rollouts that a limit ended. */
  readonly truncated: number;
}

/** All that a smoke run found out. */
export interface SmokeEvidence {
  readonly probes: readonly Probe[];
  readonly failures: Failures;
  /** Every reward that was seen is this one. */
  readonly constant?: number;
  /** Some scores compare the rollouts of a group with each other. */
  readonly isRelative: boolean;
  readonly learning?: Learning;
  /** Why there was no learning, or no end to it. */
  readonly obstacle?: string;
}
