import { contentHash, omitUndefined } from "../json.ts";
import {
  isEnabled,
  type JudgePrompt,
  type NamedScore,
  namedScores,
  type ScoringDefinition,
} from "../rubric/rubric.ts";
import type { AnyDefinition, Environment } from "./environment.ts";
import { type SubModelBudget, subModelBudget } from "./sub-model-needs.ts";

/** A score of a part of a mix. */
interface PartScore extends NamedScore {
  readonly part: string;
}

/**
 * The scores of all parts by name, to describe them and to ask for judges. The engine scores with the rubric of the part. Where
 * parts weigh a score differently, the union shows the weight in the first of them.
 */
export function unionOfScores(
  parts: readonly (readonly [string, Environment])[],
): ScoringDefinition {
  const scores = parts.flatMap(([part, { definition }]) =>
    namedScores(definition).map(({ name, entry, weight }) => ({ name, entry, weight, part })),
  );
  const rubric: Record<string, ScoringDefinition["rubric"][string]> = {};
  const metrics: typeof rubric = {};
  for (const [name, same] of Map.groupBy(scores, (score) => score.name)) {
    const rewarded = same.find(({ weight }) => weight !== 0);
    const kind = rewarded === undefined ? metrics : rubric;
    kind[name] = { ...unionOfScore(same), weight: rewarded?.weight } as never;
  }
  return { rubric, metrics };
}

function unionOfScore(scores: readonly PartScore[]): object {
  const entries = scores.map(({ entry }) =>
    typeof entry === "function" ? { score: entry } : entry,
  );
  const first = entries.find(({ description }) => description !== undefined);
  const needs = new Set(entries.flatMap((entry) => entry.needs ?? []));
  return {
    ...omitUndefined({
      description: first?.description,
      range: unionOfRanges(entries.map(({ range }) => range)),
      judge: unionOfPrompts(entries.flatMap(({ judge }) => judge ?? [])),
      needs: needs.size === 0 ? undefined : [...needs],
    }),
    enabled: ({ config }: { readonly config: Readonly<Record<string, unknown>> }) =>
      scores.some(({ entry, part }) => isEnabled(entry, config[part])),
    [entries.some((entry) => "group" in entry) ? "group" : "score"]: playedByPart,
  };
}

/** Describes the sub-model of a mix by the largest budget. The engine enforces the budget of the part that plays. */
export function unionOfBudgets(
  partsIn: (config: unknown) => readonly (readonly [string, Environment])[],
): NonNullable<AnyDefinition["subModel"]> {
  const largest =
    (name: keyof SubModelBudget) =>
    ({ config }: { readonly config: unknown }): number => {
      const budgets = partsIn(config).map(([, part]) => subModelBudget(part));
      return Math.max(
        ...budgets.flatMap((budget) => (budget === undefined ? [] : (budget[name] ?? Infinity))),
      );
    };
  return { maxCalls: largest("maxCalls"), maxTokens: largest("maxTokens"), policy: playedByPart };
}

/** Stands where a mix has a hook because one of its parts has it. The engine calls the hook of the part instead. */
export function playedByPart(): never {
  throw new Error("The parts of a mix are played by their own definitions.");
}

type Range = readonly [number, number];

function unionOfRanges(ranges: readonly (Range | undefined)[]): Range | undefined {
  const known = ranges.flatMap((range) => (range === undefined ? [] : [range]));
  if (known.length < ranges.length) return undefined;
  return [Math.min(...known.map(([min]) => min)), Math.max(...known.map(([, max]) => max))];
}

/** A resumed run compares the hash, so the hash of several prompts covers each of them. */
function unionOfPrompts(prompts: readonly JudgePrompt[]): JudgePrompt | undefined {
  const [first] = prompts;
  if (first === undefined || prompts.every(({ prompt }) => prompt === first.prompt)) return first;
  const prompt = contentHash(prompts.map((each) => each.prompt));
  return prompts.every(({ model }) => model === first.model)
    ? { prompt, model: first.model }
    : { prompt };
}
