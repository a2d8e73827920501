import type { Interval } from "@envs/records";

/** The reward of scripted replies, without a language model. */
export interface Probe {
  /** `policy:<name>`, `mixed up`, `scrambled` or `padded`. */
  readonly name: string;
  /** The mean reward; null if every rollout failed. */
  readonly reward: number | null;
  /** The first policy's reward minus this one, paired by example. Undefined for the first policy. */
  readonly lead?: Interval | undefined;
}

/** Rollouts that have no reward. */
export interface Failures {
  readonly played: number;
  readonly failed: number;
  /** Number of failed rollouts by error code. */
  readonly codes: Readonly<Record<string, number>>;
  /** The error of the first failed rollout. */
  readonly message?: string | undefined;
}

/** How reinforcement learning changed the reward. */
export interface Learning {
  /** Number of conversations with the weak teacher. */
  readonly conversations: number;
  readonly warmUpSteps: number;
  /** The median length of these conversations. */
  readonly medianTokens: number;
  readonly vocabulary: number;
  readonly steps: number;
  /** Number of training rollouts. */
  readonly rollouts: number;
  /** Number of evaluation examples. */
  readonly examples: number;
  readonly rolloutsPerExample: number;
  /** The evaluation examples are the training examples, because the dataset is small. */
  readonly isShared: boolean;
  /** Mean reward on the evaluation examples before reinforcement learning. */
  readonly before: number;
  /** Mean reward on the evaluation examples after reinforcement learning. */
  readonly after: number;
  /** `after` minus `before`, paired by example. */
  readonly difference: Interval;
  /** Standard deviation of the reward among rollouts of one example. */
  readonly deviation: number;
  /** Mean training reward of each step. */
  readonly rewards: readonly number[];
  /** How much a straight line through `rewards` rises from the first step to the last. */
  readonly rise?: Interval | undefined;
  /** The share of groups with equal rewards. */
  readonly zeroVariance: number;
  /** The share of training rollouts that were truncated. */
  readonly truncated: number;
}

/** All measurements of a smoke run. */
export interface SmokeEvidence {
  readonly probes: readonly Probe[];
  readonly failures: Failures;
  /** The value of every reward, if all were equal. */
  readonly constant?: number | undefined;
  /** Some scores compare the rollouts of a group with each other. */
  readonly isRelative: boolean;
  /** The replies of the first policy differ between examples, and not between two runs with different seeds. */
  readonly isInformed: boolean;
  /** A fault of the rewards that wrong replies to the same examples show. */
  readonly fault?: string | undefined;
  /** The rewards of all rollouts of the probes. */
  readonly scripted: { readonly deviation: number; readonly max: number };
  readonly learning?: Learning | undefined;
  /** Why the model was not trained, or why its training stopped early. */
  readonly obstacle?: string | undefined;
}
