import { boundary, RolloutError } from "./errors.ts";
import type { Message } from "./message.ts";
import type { Random } from "./random.ts";
import type { StopReason } from "./stop.ts";

/** Computes a value once per rollout, for all scores that ask under the same `key`. */
export type Memo = <Value>(key: string, compute: () => Value) => Value;

/** What a score sees of a finished episode. */
export interface ScoreContext<Config = unknown, E = unknown, State = unknown> {
  readonly config: Config;
  readonly example: E;
  readonly state: State;
  readonly prompt: readonly Message[];
  /** Everything that was said after the prompt. */
  readonly completion: readonly Message[];
  /** The text of the model's last message. */
  readonly reply: string;
  /** How many times the model spoke. */
  readonly turns: number;
  readonly stopReason: StopReason;
  /** A limit cut the rollout or one of its replies short. */
  readonly isTruncated: boolean;
  readonly memo: Memo;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** `null` means that the score does not apply to this rollout: it is left out of the reward and of the mean. */
export type ScoreValue = number | null;

export type ScoreFunction<Config, E, State> = (
  context: ScoreContext<Config, E, State>,
) => ScoreValue | Promise<ScoreValue>;

/** Gives every rollout of a group its score, in the order given. */
export type GroupScoreFunction<Config, E, State> = (
  rollouts: readonly ScoreContext<Config, E, State>[],
) => readonly ScoreValue[] | Promise<readonly ScoreValue[]>;

interface ScoreInfo {
  /** The share of the reward. Default 1; 0 makes it a metric: recorded, not rewarded. */
  readonly weight?: number;
  readonly description?: string;
  /** The least and the greatest value. */
  readonly range?: readonly [number, number];
}

/** A score with its weight. */
export interface WeightedScore<Config, E, State> extends ScoreInfo {
  score(context: ScoreContext<Config, E, State>): ScoreValue | Promise<ScoreValue>;
}

/** A score that compares the rollouts of one group. */
export interface GroupScore<Config, E, State> extends ScoreInfo {
  group(
    rollouts: readonly ScoreContext<Config, E, State>[],
  ): readonly ScoreValue[] | Promise<readonly ScoreValue[]>;
}

/** Named scores; the reward is the sum of weight × score. A bare function has weight 1. */
export type Rubric<Config, E, State, Name extends string> = {
  readonly [Key in Name]:
    | ScoreFunction<Config, E, State>
    | WeightedScore<Config, E, State>
    | GroupScore<Config, E, State>;
};

/** The scores of one rollout, by name. */
export type Scores<Name extends string = string> = { readonly [Key in Name]: ScoreValue };

/** The scores of one rollout and their weighted sum. */
export interface Scored<Name extends string = string> {
  readonly reward: number;
  readonly scores: Scores<Name>;
}

/** A score as tables and manifests show it. */
export interface ScoreDescription {
  readonly name: string;
  readonly weight: number;
  readonly isGroup: boolean;
  readonly description?: string;
  readonly range?: readonly [number, number];
}

/** A rubric whose types are forgotten: what the engine runs. */
export type AnyRubric = Rubric<unknown, unknown, unknown, string>;

/** Every score of a rubric, in the order written. */
export function describeRubric(rubric: AnyRubric): readonly ScoreDescription[] {
  return Object.entries(rubric).map(([name, entry]) => {
    if (typeof entry === "function") return { name, weight: 1, isGroup: false };
    const { weight = 1, description, range } = entry;
    const described: ScoreDescription = { name, weight, isGroup: "group" in entry };
    return Object.assign(described, description && { description }, range && { range });
  });
}

/**
 * Scores the rollouts of one group: own scores first, all at once, then those of the whole group.
 * A rollout whose own score fails gets its error in its place and takes no part in the group scores.
 */
export async function scoreGroup(
  rubric: AnyRubric,
  contexts: readonly ScoreContext[],
): Promise<readonly (Scored | Error)[]> {
  const own = await Promise.allSettled(contexts.map((context) => scoreOne(rubric, context)));
  const outcomes: (Record<string, ScoreValue> | Error)[] = own.map((outcome) =>
    outcome.status === "fulfilled" ? outcome.value : (outcome.reason as Error),
  );
  const members = outcomes.flatMap((outcome, index) => (outcome instanceof Error ? [] : [index]));
  const groupContexts = members.map((index) => contexts[index]!);
  for (const [name, entry] of Object.entries(rubric)) {
    if (typeof entry === "function" || !("group" in entry) || members.length === 0) continue;
    try {
      const values = await boundary("score", `the group score ${name}`, () =>
        entry.group(groupContexts),
      );
      checkLength(name, values, members.length);
      const checked = members.map((_, place) => checkScore(name, values[place]));
      members.forEach((index, place) => {
        (outcomes[index] as Record<string, ScoreValue>)[name] = checked[place]!;
      });
    } catch (error) {
      for (const index of members) outcomes[index] = error as Error;
      break;
    }
  }
  const order = describeRubric(rubric);
  return outcomes.map((outcome) => (outcome instanceof Error ? outcome : weigh(order, outcome)));
}

async function scoreOne(
  rubric: AnyRubric,
  context: ScoreContext,
): Promise<Record<string, ScoreValue>> {
  const scores: Record<string, ScoreValue> = {};
  await Promise.all(
    Object.entries(rubric).map(async ([name, entry]) => {
      if (typeof entry !== "function" && "group" in entry) return;
      const run = typeof entry === "function" ? entry : entry.score.bind(entry);
      scores[name] = checkScore(
        name,
        await boundary("score", `the score ${name}`, () => run(context)),
      );
    }),
  );
  return scores;
}

function checkScore(name: string, value: unknown): ScoreValue {
  if (value === null || (typeof value === "number" && Number.isFinite(value))) return value;
  throw new RolloutError(
    "score",
    `The score ${name} is ${show(value)}. A score is a finite number, or null if it does not apply.`,
  );
}

function show(value: unknown): string {
  if (typeof value === "number" || value === undefined) return `${value}`;
  return typeof value === "string" ? JSON.stringify(value) : `of type ${typeof value}`;
}

function checkLength(name: string, values: unknown, expected: number): void {
  if (Array.isArray(values) && values.length === expected) return;
  const given = Array.isArray(values) ? `${values.length} values` : "no list of values";
  throw new RolloutError(
    "score",
    `The group score ${name} gave ${given} for ${expected} rollouts.`,
  );
}

function weigh(
  order: readonly ScoreDescription[],
  values: Record<string, ScoreValue>,
): Scored | RolloutError {
  let reward = 0;
  const scores: Record<string, ScoreValue> = {};
  for (const { name, weight } of order) {
    const value = values[name] ?? null;
    scores[name] = value;
    if (value !== null && weight !== 0) reward += weight * value;
  }
  if (Number.isFinite(reward)) return { reward, scores };
  return new RolloutError("score", `The reward is ${reward}. The weights must keep it finite.`);
}

/** One memo, for one rollout. A computation that throws is thrown at each who asks. */
export function createMemo(): Memo {
  const values = new Map<string, unknown>();
  return <Value>(key: string, compute: () => Value): Value => {
    if (!values.has(key)) values.set(key, compute());
    return values.get(key) as Value;
  };
}
