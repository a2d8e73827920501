import type { Example } from "../dataset/example.ts";
import type { Environment } from "../definition/environment.ts";
import { ToolUseCounter, type ToolUses } from "../episode/call-counts.ts";
import type { RolloutErrorCode } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import { addUsages, type SubModelUsages } from "../model/branch.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import type { Rollout } from "../rollout/record.ts";
import type { JudgeUsages } from "../rubric/judge.ts";
import { describeScores } from "../rubric/rubric.ts";
import { factsOf, type RolloutFacts } from "./facts.ts";
import {
  addReason,
  type FailureReason,
  ToolErrors,
  type ToolErrorSummary,
} from "./failure-reasons.ts";
import {
  type HistogramBin,
  passAtK,
  passHatK,
  SampleStatistics,
  type Statistics,
} from "./statistics.ts";

/** The results of a run. Failed rollouts appear in `counts`, `failures` and `usage` only. */
export interface Summary<Name extends string = string> {
  readonly counts: {
    readonly total: number;
    readonly scored: number;
    readonly failed: number;
    readonly truncated: number;
    readonly filtered: number;
  };
  readonly reward: Statistics;
  readonly scores: { readonly [Key in Name]: Statistics };
  /** Failed rollouts by error code. */
  readonly failures: { readonly [Code in RolloutErrorCode]?: number };
  /** Attempts that failed and were played again, by error code. */
  readonly retries: { readonly [Code in RolloutErrorCode]?: number };
  /** The most frequent messages of failed rollouts, at most three. Messages that differ in numbers only count as one. */
  readonly failureReasons: readonly FailureReason[];
  readonly stopReasons: Readonly<Record<string, number>>;
  /** The mean over examples of the unbiased estimate; k is 1, 2, 4, … up to the size of the group. */
  readonly passAtK: Readonly<Record<number, number>>;
  readonly passHatK: Readonly<Record<number, number>>;
  /** The rewards: one bin per distinct value if at most ten are distinct, else ten bins of equal width. */
  readonly histogram: readonly HistogramBin[];
  readonly usage: TotalUsage;
  /** What the scores have asked of judges, by the name of the judge. Absent if nothing. */
  readonly judgeUsage?: JudgeUsages | undefined;
  /** What the environment has asked of sub-models, and an agent of helpers, by name. Absent if nothing. */
  readonly subModelUsage?: SubModelUsages | undefined;
  /** Turns per scored rollout. */
  readonly turns: Statistics;
  /** The tool calls that failed because the tool threw, and the most frequent reason. The model receives each. */
  readonly toolErrors: ToolErrorSummary;
  /** How often the model called each tool, in scored and failed rollouts. A tool that was never called is absent. */
  readonly tools: ToolUses;
  /** The results of each part of a mix, by its name. Absent outside of a mix. */
  readonly parts?: Readonly<Record<string, Summary>> | undefined;
  /** The results of each seat that models played, by its name. Absent without seats. */
  readonly seats?: Readonly<Record<string, Summary>> | undefined;
}

/** The tokens of a run, as far as they are known. */
export interface TotalUsage extends Usage {
  /** The number of rollouts with turns whose usage is unknown. */
  readonly unknownRollouts: number;
}

/** Summarizes a run, rollout by rollout, without storing the rollouts. */
export interface Summarizer<Name extends string = string> {
  add(rollout: Rollout): void;
  addFacts(facts: RolloutFacts): void;
  summary(): Summary<Name>;
}

export interface SummarizerOptions {
  /** The minimum reward of a rollout that passes. Default: the environment's, else 0.5, as in verifiers. */
  readonly passThreshold?: number | undefined;
}

/** Creates the summarizer of a run. */
export function summarizer<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  { passThreshold = environment.definition.passThreshold }: SummarizerOptions = {},
): Summarizer<Name> {
  const names = describeScores(environment.definition).map(({ name }) => name);
  return createSummarizer(names as Name[], passThreshold);
}

/** Creates a summarizer of the scores with these names, for callers without the environment. See {@link summarizer}. */
export function createSummarizer<Name extends string>(
  names: readonly Name[],
  passThreshold = 0.5,
): Summarizer<Name> {
  const reward = new SampleStatistics();
  const turns = new SampleStatistics();
  const scores = new Map(names.map((name) => [name, new SampleStatistics()] as const));
  const failures: { [Code in RolloutErrorCode]?: number } = {};
  const retries: { [Code in RolloutErrorCode]?: number } = {};
  const reasons = new Map<string, FailureReason>();
  const stopReasons = new Map<string, number>();
  const groups = new Map<string, { attempts: number; passed: number }>();
  let usage = noUsage;
  let judgeUsage: JudgeUsages | undefined;
  let subModelUsage: SubModelUsages | undefined;
  let unknownRollouts = 0;
  const toolErrors = new ToolErrors();
  const tools = new ToolUseCounter();
  const parts = new Map<string, Summarizer>();
  const seats = new Map<string, Summarizer>();
  let failed = 0;
  let truncated = 0;
  let filtered = 0;

  const addScored = (rollout: Extract<RolloutFacts, { status: "scored" }>): void => {
    reward.add(rollout.reward);
    turns.add(rollout.turns);
    for (const [name, values] of scores) {
      const value = rollout.scores[name];
      if (value !== null && value !== undefined) values.add(value);
    }
    if (rollout.isTruncated) truncated += 1;
    if (rollout.isFiltered) filtered += 1;
    stopReasons.set(rollout.stopReason, (stopReasons.get(rollout.stopReason) ?? 0) + 1);
    const group = groups.get(rollout.exampleKey) ?? { attempts: 0, passed: 0 };
    group.attempts += 1;
    if (rollout.reward >= passThreshold) group.passed += 1;
    groups.set(rollout.exampleKey, group);
  };

  const addTo = (group: Map<string, Summarizer>, name: string, facts: RolloutFacts): void => {
    const summarizer = group.get(name) ?? createSummarizer(names, passThreshold);
    group.set(name, summarizer);
    summarizer.addFacts(facts);
  };

  const addFacts = (rollout: RolloutFacts): void => {
    const { part, seat, otherSeats = [] } = rollout;
    if (part !== undefined) addTo(parts, part, { ...rollout, part: undefined });
    if (seat !== undefined)
      for (const side of [rollout, ...otherSeats])
        addTo(seats, side.seat!, { ...side, part: undefined, seat: undefined, otherSeats: [] });
    usage = addUsage(usage, rollout.usage);
    judgeUsage = addUsages(judgeUsage, rollout.judgeUsage);
    subModelUsage = addUsages(subModelUsage, rollout.subModelUsage);
    if (!rollout.isUsageKnown) unknownRollouts += 1;
    toolErrors.add(rollout.toolErrors);
    for (const code of rollout.retries ?? []) retries[code] = (retries[code] ?? 0) + 1;
    tools.addAll(rollout.tools);
    if (rollout.status === "scored") return addScored(rollout);
    failed += 1;
    failures[rollout.error.code] = (failures[rollout.error.code] ?? 0) + 1;
    addReason(reasons, rollout);
  };

  return {
    add: (rollout) => addFacts(factsOf(rollout)),
    addFacts,
    summary: () => ({
      counts: { total: reward.count + failed, scored: reward.count, failed, truncated, filtered },
      reward: reward.statistics(),
      scores: Object.fromEntries(
        [...scores].map(([name, values]) => [name, values.statistics()]),
      ) as Record<Name, Statistics>,
      failures: { ...failures },
      retries: { ...retries },
      failureReasons: [...reasons.values()].toSorted((a, b) => b.count - a.count).slice(0, 3),
      stopReasons: Object.fromEntries(stopReasons),
      passAtK: estimatePasses([...groups.values()], passAtK),
      passHatK: estimatePasses([...groups.values()], passHatK),
      histogram: reward.histogram(10),
      usage: { ...usage, unknownRollouts },
      ...omitUndefined({ judgeUsage, subModelUsage }),
      turns: turns.statistics(),
      toolErrors: toolErrors.summary(),
      tools: tools.uses() ?? {},
      ...(parts.size === 0 ? {} : { parts: summariesOf(parts) }),
      ...(seats.size === 0 ? {} : { seats: summariesOf(seats) }),
    }),
  };
}

/** The summary of each part or seat, by name. It has the scores that its rollouts have. */
function summariesOf(
  summarizers: ReadonlyMap<string, Summarizer>,
): Readonly<Record<string, Summary>> {
  const sorted = [...summarizers].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([name, summarizer]) => {
      const summary = summarizer.summary();
      const scores = Object.entries(summary.scores).filter(([, { count }]) => count > 0);
      return [name, { ...summary, scores: Object.fromEntries(scores) }];
    }),
  );
}

function estimatePasses(
  groups: readonly { attempts: number; passed: number }[],
  estimate: (n: number, correct: number, k: number) => number,
): Record<number, number> {
  const maxAttempts = groups.reduce((max, { attempts }) => Math.max(max, attempts), 0);
  const result: Record<number, number> = {};
  for (let k = 1; k <= maxAttempts; k *= 2) {
    const eligible = groups.filter(({ attempts }) => attempts >= k);
    const sum = eligible.reduce(
      (total, { attempts, passed }) => total + estimate(attempts, passed, k),
      0,
    );
    result[k] = sum / eligible.length;
  }
  return result;
}
