import { ConfigError, type Environment } from "@envs/core";
import { describeScores, toolSpecsOf } from "@envs/core/engine";

import { countsFor, mostTokens, type SmokeBudget, usualBudget } from "./budget.ts";
import type { Learning, SmokeEvidence } from "./evidence.ts";
import { meanOf, riseOf } from "./interval.ts";
import { learn, type Learned, type LearnOptions, type SmokeProgress } from "./learn.ts";
import { probe } from "./probe.ts";
import { deviationOf, differenceOf, failuresOf, rewardsOf } from "./rewards.ts";
import { divide, withRows } from "./rows.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import { prepareLessons } from "./warm-up.ts";

/** How a smoke run is done. */
export interface SmokeOptions {
  /** Decides everything. Default 0. */
  readonly seed?: number;
  /** Threads of the tiny model; another number, another rounding. Default 2. */
  readonly threads?: number;
  /** How much may be done. Default: what takes less than a minute on two idle cores. */
  readonly budget?: Partial<SmokeBudget>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SmokeProgress) => void;
}

/** A verdict with its evidence. */
export interface SmokeReport {
  readonly verdict: Verdict;
  readonly evidence: SmokeEvidence;
}

/**
 * Finds out whether an environment gives a signal that can be learned from: looks at what its policies earn and what bad
 * replies earn, lets a tiny model imitate a weak teacher, then learn by reinforcement, and compares it with itself on
 * examples that it has not seen.
 */
export async function smoke(
  environment: Environment,
  options: SmokeOptions = {},
): Promise<SmokeReport> {
  refuse(environment);
  const evidence = await gather(environment, options);
  // What was cut short proves nothing.
  options.signal?.throwIfAborted();
  return { verdict: verdictOf(evidence), evidence };
}

/** What a tiny model cannot play, or nobody can show it. */
function refuse(environment: Environment): void {
  const { name, definition } = environment;
  if (toolSpecsOf(environment).length > 0)
    throw new ConfigError(
      `${name} has tools, and the tiny model cannot call any: its chat template has no words for them. Train a larger model on it through a service.`,
    );
  if (Object.keys(definition.policies ?? {}).length === 0)
    throw new ConfigError(
      `${name} has no policies, so there is nobody whom a new model could learn the form of an answer from. Give its definition one that answers well: policies: { perfect: ({ example }) => … }`,
    );
}

const never = new AbortController().signal;

/** Examples that are played without a model. */
const probed = 128;

async function gather(environment: Environment, options: SmokeOptions): Promise<SmokeEvidence> {
  const { seed = 0, threads = 2, signal = never, onProgress = () => {} } = options;
  const budget = { ...usualBudget, ...options.budget };
  onProgress({ stage: "probing" });
  const rows = await divide(environment, { ...budget, seed });
  if (rows.held.length === 0) throw new ConfigError(`The dataset of ${environment.name} is empty.`);
  const measured = withRows(environment, rows.held)();
  const { probes, replies, rollouts } = await probe(measured, { examples: probed, seed, signal });
  const teaching = withRows(environment, rows.learned)();
  const lessons = await prepareLessons(teaching, { replies, seed, signal });
  const seen = [...rollouts, ...lessons.rollouts];
  const constant = onlyOne(rewardsOf(seen));
  const found = {
    probes,
    failures: failuresOf(seen),
    isRelative: describeScores(environment.definition, environment.config).some(
      ({ isGroup, weight }) => isGroup && weight !== 0,
    ),
    ...(constant === undefined ? {} : { constant }),
  };
  const { language } = lessons;
  if (language === undefined || constant !== undefined) return found;
  const median = language.lengths[language.lengths.length >> 1]!;
  if (median > mostTokens)
    return {
      ...found,
      obstacle: `half of the conversations have more than ${median} tokens, and a minute is enough for ${mostTokens}. Choose shorter ones with the environment's options`,
    };
  const counts = countsFor(meanOf(language.lengths), budget);
  const work = { environment, rows, lessons, language, counts, seed, threads, signal, onProgress };
  const learned = await learn(work);
  const all = [seen, learned.before, learned.after, learned.steps.map(({ rollouts }) => rollouts)];
  const learning = learningOf(learned, work);
  return {
    ...found,
    failures: failuresOf(all.flat(2)),
    ...(learning === undefined ? {} : { learning }),
    ...(learned.obstacle === undefined ? {} : { obstacle: learned.obstacle }),
  };
}

/** Sums up what happened, if it came to its end. */
function learningOf(
  { before, after, steps, warmUpSteps }: Learned,
  { rows, lessons, language, counts }: LearnOptions,
): Learning | undefined {
  const difference = differenceOf(before, after);
  if (difference === undefined) return undefined;
  const rewards = steps.flatMap(({ reward }) => reward ?? []);
  const rise = riseOf(rewards);
  const rollouts = steps.flatMap((step) => step.rollouts);
  return {
    conversations: lessons.chats.length,
    warmUpSteps,
    medianTokens: language.lengths[language.lengths.length >> 1]!,
    vocabulary: language.tokenizer.vocabularySize,
    steps: steps.length,
    rollouts: rollouts.length,
    examples: rows.held.length,
    rolloutsPerExample: counts.measured,
    isShared: rows.isShared,
    before: meanOf(rewardsOf(before)),
    after: meanOf(rewardsOf(after)),
    difference,
    deviation: deviationOf([...before, ...after]),
    rewards,
    ...(rise === undefined ? {} : { rise }),
    zeroVariance: meanOf(steps.map(({ zeroVariance }) => zeroVariance)),
    truncated: meanOf(rollouts.map(({ isTruncated }) => Number(isTruncated))),
  };
}

/** The value of a sample that has no other. */
function onlyOne(values: readonly number[]): number | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}
