/**
 * The amount of work of a smoke run. It is counted in examples and tokens rather than in seconds, so that equal seeds give
 * equal verdicts.
 */
export interface SmokeBudget {
  readonly trainingExamples: number;
  readonly evaluationExamples: number;
  /** Tokens of conversations with the weak teacher that the model imitates. */
  readonly warmUpTokens: number;
  /** Tokens of the reinforcement learning phase. */
  readonly learningTokens: number;
}

/** Takes at most 45 seconds on two idle cores. */
export const defaultBudget: SmokeBudget = {
  trainingExamples: 2000,
  evaluationExamples: 256,
  warmUpTokens: 600_000,
  learningTokens: 1_200_000,
};

/** A budget converted to steps and batches for conversations of a certain length. */
export interface SmokeSchedule {
  readonly warmUpSteps: number;
  readonly warmUpBatch: number;
  readonly steps: number;
  readonly groups: number;
  readonly groupSize: number;
  /** Rollouts per evaluation example, before and after reinforcement learning. */
  readonly evaluationRollouts: number;
}

const groupSize = 8;
const tokensPerStep = 10_000;
const tokensPerWarmUpStep = 3200;

/** The maximum median length of conversations, in tokens. Longer ones do not fit the budget. */
export const maxMedianTokens = 400;

/** Divides the budget among conversations of a mean length of `tokens`: the longer they are, the fewer fit. */
export function scheduleFor(tokens: number, budget: SmokeBudget): SmokeSchedule {
  const groups = clampedInteger(tokensPerStep / (groupSize * tokens), 4, 32);
  const warmUpBatch = clampedInteger(tokensPerWarmUpStep / tokens, 8, 32);
  return {
    groups,
    groupSize,
    warmUpBatch,
    warmUpSteps: clampedInteger(budget.warmUpTokens / (warmUpBatch * tokens), 20, 800),
    steps: clampedInteger(budget.learningTokens / (groups * groupSize * tokens), 10, 120),
    evaluationRollouts: tokens > 150 ? 2 : 4,
  };
}

function clampedInteger(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, Math.floor(value)));
}
