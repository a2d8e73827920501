import { ConfigError, type Environment, type JudgeModels } from "@envs/core";
import {
  checkJudge,
  describeScores,
  policyNamesOf,
  sharedJudges,
  toolSpecsOf,
} from "@envs/core/engine";
import { meanOf, riseInterval } from "@envs/records";

import { defaultBudget, maxMedianTokens, scheduleFor, type SmokeBudget } from "./budget.ts";
import { splitDataset, withDataset } from "./dataset-split.ts";
import type { Learning, SmokeEvidence } from "./evidence.ts";
import { findRewardFault } from "./judge-probes.ts";
import { runProbes } from "./probes.ts";
import {
  failuresIn,
  rewardDeviation,
  rewardDifference,
  rewardsOf,
  rewardSpread,
} from "./rewards.ts";
import {
  runSmokeTraining,
  type SmokeProgress,
  type SmokeTrainingOptions,
  type SmokeTrainingResult,
} from "./smoke-training.ts";
import { type Verdict, verdictOn } from "./verdict.ts";
import { prepareWarmUp, tokenizeChats } from "./warm-up-data.ts";

export interface SmokeOptions {
  /** Determines all randomness. Default 0. */
  readonly seed?: number | undefined;
  /** Threads of the tiny model; their number changes the rounding. Default 2. */
  readonly threads?: number | undefined;
  /** Judges replies. Required if a score asks a judge. */
  readonly judge?: JudgeModels | undefined;
  /** Default: less than a minute on two idle cores. */
  readonly budget?: Partial<SmokeBudget> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SmokeProgress) => void) | undefined;
}

export interface SmokeReport {
  readonly verdict: Verdict;
  readonly evidence: SmokeEvidence;
}

/**
 * Tests whether an environment gives a signal that a model can learn from: measures the rewards of its policies and of
 * wrong replies, trains a tiny model to imitate a weak teacher and then by reinforcement, and compares the model before and
 * after reinforcement learning on examples that it was not trained on.
 */
export async function smoke(
  environment: Environment,
  options: SmokeOptions = {},
): Promise<SmokeReport> {
  checkEnvironment(environment);
  checkJudge(environment, options);
  const evidence = await gatherEvidence(environment, options);
  // Evidence of an aborted run is incomplete.
  options.signal?.throwIfAborted();
  return { verdict: verdictOn(evidence), evidence };
}

/** Throws a `ConfigError` if a tiny model cannot play the environment, or if there is no policy to imitate. */
function checkEnvironment(environment: Environment): void {
  const { name } = environment;
  if (toolSpecsOf(environment)?.length !== 0)
    throw new ConfigError(
      `${name} has tools, and the tiny model cannot call any: its chat template has no tool calls. Train a larger model on a service instead.`,
    );
  if (policyNamesOf(environment).length === 0)
    throw new ConfigError(
      `${name} has no policies, so a new model has no policy to imitate. Add one that answers well to the definition: policies: { perfect: ({ example }) => … }`,
    );
}

const never = new AbortController().signal;

/** Number of rollouts of each probe, if possible of different examples. */
const probeRollouts = 128;

async function gatherEvidence(
  environment: Environment,
  options: SmokeOptions,
): Promise<SmokeEvidence> {
  const { seed = 0, threads = 2, signal = never, onProgress = () => {} } = options;
  const judge = sharedJudges(options.judge);
  const budget = { ...defaultBudget, ...options.budget };
  onProgress({ stage: "probing" });
  const split = await splitDataset(environment, { ...budget, seed, signal });
  if (split.evaluation.length === 0)
    throw new ConfigError(`The dataset of ${environment.name} is empty.`);
  const examples = Math.min(probeRollouts, split.evaluation.length);
  const rolloutsPerExample = Math.ceil(probeRollouts / examples);
  const { probes, replies, rollouts, isInformed, fault } = await runProbes(
    withDataset(environment, split.evaluation)(),
    { examples, rolloutsPerExample, judge, seed, signal },
  );
  const taught = withDataset(environment, split.training)();
  const warmUp = await prepareWarmUp(taught, { replies, judge, seed, signal });
  const scripted = [...rollouts, ...warmUp.rollouts];
  const evidence: SmokeEvidence = {
    probes,
    failures: failuresIn(scripted),
    constant: constantOf(rewardsOf(scripted)),
    isRelative: describeScores(environment.definition, environment.config).some(
      ({ isGroup, weight }) => isGroup && weight !== 0,
    ),
    isInformed,
    fault,
    scripted: rewardSpread(rollouts),
  };
  if (warmUp.chats.length === 0 || evidence.constant !== undefined) return evidence;
  if (findRewardFault(evidence) !== undefined) return evidence;
  const tokenized = tokenizeChats(warmUp.chats);
  const median = medianOf(tokenized.lengths);
  if (median > maxMedianTokens)
    return {
      ...evidence,
      obstacle: `half of the conversations have ${median} tokens or more, and the budget is for a median of at most ${maxMedianTokens}. Choose shorter conversations with the environment's options`,
    };
  const schedule = scheduleFor(meanOf(tokenized.lengths), budget);
  const setup = { environment, split, warmUp, tokenized, schedule };
  const trainingOptions = { ...setup, judge, seed, threads, signal, onProgress };
  const result = await runSmokeTraining(trainingOptions);
  const trained = result.steps.flatMap((step) => step.rollouts);
  return {
    ...evidence,
    failures: failuresIn([...scripted, ...result.before, ...result.after, ...trained]),
    learning: summarizeLearning(result, trainingOptions),
    obstacle: result.obstacle,
  };
}

/** Returns `undefined` if training stopped before the second evaluation. */
function summarizeLearning(
  { before, after, steps, warmUpSteps }: SmokeTrainingResult,
  { split, warmUp, tokenized, schedule }: SmokeTrainingOptions,
): Learning | undefined {
  const difference = rewardDifference(before, after);
  if (difference === undefined) return undefined;
  const rewards = steps.flatMap(({ reward }) => reward ?? []);
  const rollouts = steps.flatMap((step) => step.rollouts);
  return {
    conversations: warmUp.chats.length,
    warmUpSteps,
    medianTokens: medianOf(tokenized.lengths),
    vocabulary: tokenized.tokenizer.vocabularySize,
    steps: steps.length,
    rollouts: rollouts.length,
    examples: split.evaluation.length,
    rolloutsPerExample: schedule.evaluationRollouts,
    isShared: split.isShared,
    before: meanOf(rewardsOf(before)),
    after: meanOf(rewardsOf(after)),
    difference,
    deviation: rewardDeviation([...before, ...after]),
    rewards,
    rise: riseInterval(rewards),
    zeroVariance: meanOf(steps.map(({ zeroVariance }) => zeroVariance)),
    truncated: meanOf(rollouts.map(({ isTruncated }) => Number(isTruncated))),
  };
}

/** The upper median of numbers in ascending order. */
function medianOf(sorted: readonly number[]): number {
  return sorted[sorted.length >> 1]!;
}

/** The value that all numbers have, if they are equal. */
function constantOf(values: readonly number[]): number | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}
