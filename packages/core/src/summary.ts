import type { Environment } from "./environment.ts";
import type { RolloutErrorCode } from "./errors.ts";
import type { Example } from "./example.ts";
import { addUsage, type Usage } from "./model.ts";
import { passAtK, passHatK } from "./pass.ts";
import type { Rollout, ScoredRollout } from "./rollout-record.ts";
import { describeScores } from "./rubric.ts";
import { type HistogramBin, SampleStatistics, type Statistics } from "./statistics.ts";

/** What a run came to. Failed rollouts are counted, and take part in nothing else. */
export interface Summary<Name extends string = string> {
  readonly counts: {
    readonly total: number;
    readonly scored: number;
    readonly failed: number;
    readonly truncated: number;
  };
  readonly reward: Statistics;
  readonly scores: { readonly [Key in Name]: Statistics };
  /** Failed rollouts by error code. */
  readonly failures: { readonly [Code in RolloutErrorCode]?: number };
  readonly stopReasons: Readonly<Record<string, number>>;
  /** Mean over examples of the unbiased pass@k and pass^k; k is 1, 2, 4, … up to the size of the group. */
  readonly passAtK: Readonly<Record<number, number>>;
  readonly passHatK: Readonly<Record<number, number>>;
  /** Scored rewards: one bin for each if they are few, else ten equal bins from the least to the greatest. */
  readonly histogram: readonly HistogramBin[];
  readonly usage: Usage;
  /** Means per scored rollout. */
  readonly turns: Statistics;
}

/** Adds up a run, rollout by rollout, without keeping the rollouts. */
export interface Summarizer<Name extends string = string> {
  add(rollout: Rollout): void;
  summary(): Summary<Name>;
}

export interface SummarizerOptions {
  /** A rollout passes if its reward is at least this. Default 0.5, as in verifiers. */
  readonly passThreshold?: number;
}

/** Starts the summary of a run. */
export function summarizer<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  { passThreshold = 0.5 }: SummarizerOptions = {},
): Summarizer<Name> {
  const names = describeScores(environment.definition).map(({ name }) => name);
  return createSummarizer(names as Name[], passThreshold);
}

/** Starts a summary of scores with these names: what {@link summarizer} does without the environment at hand. */
export function createSummarizer<Name extends string>(
  names: readonly Name[],
  passThreshold = 0.5,
): Summarizer<Name> {
  const reward = new SampleStatistics();
  const turns = new SampleStatistics();
  const scores = Object.fromEntries(names.map((name) => [name, new SampleStatistics()])) as Record<
    Name,
    SampleStatistics
  >;
  const failures: { [Code in RolloutErrorCode]?: number } = {};
  const stopReasons = new Map<string, number>();
  const groups = new Map<string, { attempts: number; passed: number }>();
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let failed = 0;
  let truncated = 0;

  const addScored = (rollout: ScoredRollout): void => {
    reward.add(rollout.reward);
    turns.add(rollout.trajectory.length);
    for (const name of names) {
      const value = rollout.scores[name];
      if (value !== null && value !== undefined) scores[name].add(value);
    }
    if (rollout.isTruncated) truncated += 1;
    stopReasons.set(rollout.stopReason, (stopReasons.get(rollout.stopReason) ?? 0) + 1);
    const group = groups.get(rollout.exampleKey) ?? { attempts: 0, passed: 0 };
    group.attempts += 1;
    if (rollout.reward >= passThreshold) group.passed += 1;
    groups.set(rollout.exampleKey, group);
  };

  return {
    add(rollout) {
      usage = addUsage(usage, rollout.usage);
      if (rollout.status === "scored") return addScored(rollout);
      failed += 1;
      failures[rollout.error.code] = (failures[rollout.error.code] ?? 0) + 1;
    },
    summary: () => ({
      counts: { total: reward.count + failed, scored: reward.count, failed, truncated },
      reward: reward.statistics(),
      scores: Object.fromEntries(names.map((name) => [name, scores[name].statistics()])) as Record<
        Name,
        Statistics
      >,
      failures: { ...failures },
      stopReasons: Object.fromEntries(stopReasons),
      passAtK: passes([...groups.values()], passAtK),
      passHatK: passes([...groups.values()], passHatK),
      histogram: reward.histogram(10),
      usage,
      turns: turns.statistics(),
    }),
  };
}

function passes(
  groups: readonly { attempts: number; passed: number }[],
  estimate: (n: number, correct: number, k: number) => number,
): Record<number, number> {
  const largest = groups.reduce((most, { attempts }) => Math.max(most, attempts), 0);
  const result: Record<number, number> = {};
  for (let k = 1; k <= largest; k *= 2) {
    const able = groups.filter(({ attempts }) => attempts >= k);
    const sum = able.reduce(
      (total, { attempts, passed }) => total + estimate(attempts, passed, k),
      0,
    );
    result[k] = sum / able.length;
  }
  return result;
}
