import { RolloutError } from "../errors.ts";
import { HookScope, settleHooks } from "../hook-scope.ts";
import {
  type ScoringDefinition,
  isEnabled,
  type NamedScore,
  namedScores,
  type ScoreContext,
  type ScoreResult,
  type ScoreValue,
} from "./rubric.ts";

/** How a group is scored. */
export interface ScoringOptions {
  /** The scopes that run the author's code, one for each rollout. */
  readonly scopes?: readonly HookScope[] | undefined;
  /** Whether scores that need a judge do not run, so that none is asked. Default false. */
  readonly skipJudged?: boolean | undefined;
}

interface CheckedScore {
  readonly value: ScoreValue;
  readonly feedback?: string | undefined;
}

type CheckedScores = Record<string, CheckedScore>;

/**
 * Scores the rollouts of one group. The scores of each rollout run first and in parallel, then the group scores. A rollout
 * with a failed score gets the error in place of its scores, and the group scores do not see it.
 */
export async function scoreGroup(
  scoring: ScoringDefinition,
  contexts: readonly ScoreContext[],
  { scopes = contexts.map(() => new HookScope()), skipJudged = false }: ScoringOptions = {},
): Promise<readonly (ScoreResult | Error)[]> {
  const all = namedScores(scoring);
  const scores = skipJudged ? all.filter(({ entry }) => !needsJudge(entry)) : all;
  const settled = await Promise.allSettled(
    contexts.map((context, index) => scoreOne(scores, context, scopes[index]!)),
  );
  const outcomes: (CheckedScores | Error)[] = settled.map((outcome) =>
    outcome.status === "fulfilled" ? outcome.value : (outcome.reason as Error),
  );
  const members = outcomes.flatMap((outcome, index) => (outcome instanceof Error ? [] : [index]));
  const groupContexts = Object.freeze(members.map((index) => contexts[index]!));
  const [first] = groupContexts;
  const groupScope = new HookScope(scopes[0]?.timeout);
  for (const { name, entry } of scores) {
    if (typeof entry === "function" || !("group" in entry) || first === undefined) continue;
    try {
      const values = await groupScope.run("score", `the group score ${name}`, () =>
        isApplicable(entry, first) ? entry.group(groupContexts) : members.map(() => null),
      );
      checkLength(name, values, members.length);
      const checked = members.map((_, position) => checkScore({ name, entry }, values[position]));
      members.forEach((index, position) => {
        (outcomes[index] as CheckedScores)[name] = checked[position]!;
      });
    } catch (error) {
      for (const index of members) outcomes[index] = error as Error;
      break;
    }
  }
  await settleHooks();
  groupScope.close();
  return outcomes.map((outcome, index) => {
    const failure = scopes[index]!.failure ?? groupScope.failure;
    if (failure !== undefined) return failure;
    if (outcome instanceof Error) return outcome;
    const result = weigh(all, outcome);
    return skipJudged ? withoutJudge(result, all, contexts[index]!) : result;
  });
}

async function scoreOne(
  scores: readonly NamedScore[],
  context: ScoreContext,
  scope: HookScope,
): Promise<CheckedScores> {
  const values: CheckedScores = {};
  await Promise.all(
    scores.map(async ({ name, entry }) => {
      if (typeof entry !== "function" && "group" in entry) return;
      const value = await scope.run("score", `the score ${name}`, () => {
        if (!isApplicable(entry, context)) return null;
        return typeof entry === "function" ? entry(context) : entry.score(context);
      });
      values[name] = checkScore({ name, entry }, value);
    }),
  );
  return values;
}

function needsJudge(entry: NamedScore["entry"]): boolean {
  return typeof entry !== "function" && entry.needs?.includes("judge") === true;
}

/** Whether the config asks for a score. Throws if the score needs a judge that the caller did not pass. */
function isApplicable(entry: NamedScore["entry"], { config, judge }: ScoreContext): boolean {
  if (!isEnabled(entry, config)) return false;
  if (judge !== undefined || !needsJudge(entry)) return true;
  throw new Error("it asks a judge, and none was passed. Pass a model as the option judge.");
}

/** Adds the weights of the scores that did not run because they need a judge. */
function withoutJudge(
  result: ScoreResult | RolloutError,
  all: readonly NamedScore[],
  { config }: ScoreContext,
): ScoreResult | RolloutError {
  const skipped = all.filter(({ entry }) => needsJudge(entry) && isEnabled(entry, config));
  if (result instanceof Error || skipped.length === 0) return result;
  const unjudged = Object.fromEntries(skipped.map(({ name, weight }) => [name, weight]));
  return { ...result, unjudged };
}

/** The tolerance for bounds: sums of floating-point numbers may exceed them by a little. */
const tolerance = 1e-9;

function checkScore(
  { name, entry }: Pick<NamedScore, "name" | "entry">,
  returned: unknown,
): CheckedScore {
  const { score, feedback } = isWithFeedback(returned) ? returned : { score: returned };
  if (feedback !== undefined && typeof feedback !== "string")
    throw new RolloutError(
      "score",
      `The feedback of the score ${name} is ${show(feedback)}, not a text.`,
    );
  const value = typeof score === "boolean" ? Number(score) : score;
  if (value === null) return { value, feedback };
  if (typeof value === "number" && Number.isFinite(value)) {
    const [min, max] = (typeof entry === "function" ? undefined : entry.range) ?? everyNumber;
    if (value >= min - tolerance && value <= max + tolerance) return { value, feedback };
    throw new RolloutError(
      "score",
      `The score ${name} is ${value}, outside its range [${min}, ${max}]. Correct the score, or its range.`,
    );
  }
  throw new RolloutError(
    "score",
    `The score ${name} is ${show(value)}. A score is a finite number, or null if it does not apply.`,
  );
}

/** Whether a score returned an object such as `{ score: 0.5, feedback: "…" }`. */
function isWithFeedback(returned: unknown): returned is { score: unknown; feedback?: unknown } {
  return typeof returned === "object" && returned !== null && "score" in returned;
}

const everyNumber = [-Infinity, Infinity] as const;

function show(value: unknown): string {
  if (typeof value === "number" || value === undefined) return `${value}`;
  return typeof value === "string" ? JSON.stringify(value) : `of type ${typeof value}`;
}

function checkLength(name: string, values: unknown, expected: number): void {
  if (Array.isArray(values) && values.length === expected) return;
  const actual = Array.isArray(values) ? `${values.length} values` : "no list of values";
  throw new RolloutError(
    "score",
    `The group score ${name} returned ${actual} for ${expected} rollouts.`,
  );
}

function weigh(
  weights: readonly NamedScore[],
  checked: Readonly<CheckedScores>,
): ScoreResult | RolloutError {
  let reward = 0;
  const scores: Record<string, ScoreValue> = {};
  const feedback: Record<string, string> = {};
  for (const { name, weight } of weights) {
    const { value, feedback: text } = checked[name] ?? { value: null };
    scores[name] = value;
    if (text !== undefined) feedback[name] = text;
    if (value !== null && weight !== 0) reward += weight * value;
  }
  if (!Number.isFinite(reward))
    return new RolloutError("score", `The reward is ${reward}. The weights must keep it finite.`);
  return Object.keys(feedback).length === 0 ? { reward, scores } : { reward, scores, feedback };
}
