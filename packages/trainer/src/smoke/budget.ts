/** How much a smoke run may do. Counts decide, not the clock: the same seed leads to the same verdict. */
export interface SmokeBudget {
  /** Examples that are looked at, at most, and those among them that are held back. */
  readonly rows: number;
  readonly held: number;
  /** Tokens of conversations with a weak teacher that are imitated. */
  readonly warmUpTokens: number;
  /** Tokens that are learned from by reinforcement. */
  readonly learningTokens: number;
}

/** At most three quarters of a minute on two idle cores. */
export const usualBudget: SmokeBudget = {
  rows: 2000,
  held: 256,
  warmUpTokens: 600_000,
  learningTokens: 1_200_000,
};

/** Counts for conversations of a certain length. */
export interface Counts {
  readonly warmUpSteps: number;
  readonly warmUpBatch: number;
  readonly steps: number;
  readonly groups: number;
  readonly groupSize: number;
  /** Rollouts of each example that was held back, before and after. */
  readonly measured: number;
}

const groupSize = 8;
const tokensPerStep = 10_000;
const tokensPerLesson = 3200;

/** The longest conversations, in tokens, that a minute is enough for. */
export const mostTokens = 400;

/** Shares a budget out: longer conversations, fewer of them. */
export function countsFor(tokens: number, budget: SmokeBudget): Counts {
  const groups = between(4, tokensPerStep / (groupSize * tokens), 32);
  const warmUpBatch = between(8, tokensPerLesson / tokens, 32);
  return {
    groups,
    groupSize,
    warmUpBatch,
    warmUpSteps: between(20, budget.warmUpTokens / (warmUpBatch * tokens), 800),
    steps: between(10, budget.learningTokens / (groups * groupSize * tokens), 120),
    measured: tokens > 150 ? 2 : 4,
  };
}

function between(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(most, Math.floor(value)));
}
