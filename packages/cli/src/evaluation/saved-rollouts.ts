import { ConfigError, type Environment } from "@envs/core";
import { describeScores, examples } from "@envs/core/engine";
import { exampleHash } from "@envs/records";
import type { SavedRollout } from "@envs/records/node";
import { selectOf } from "@envs/viewer";

import type { EvaluationPlan } from "./evaluation-plan.ts";

interface PlannedExample {
  readonly index: number;
  /** `undefined` if the key itself is the hash of the content. */
  readonly hash: string | undefined;
}

/** The examples of a plan in the present dataset, by key. */
export type PlannedExamples = ReadonlyMap<string, PlannedExample>;

/** Reads the examples of a plan. Rejects with the reason of `signal` when it is aborted. */
export async function plannedExamples(
  environment: Environment,
  { examples: count, seed, split, shuffle, select }: EvaluationPlan,
  signal: AbortSignal,
): Promise<PlannedExamples> {
  const planned = new Map<string, PlannedExample>();
  for await (const { key, index, example } of examples(environment, {
    count,
    seed,
    split,
    shuffle,
    select: selectOf(select),
    signal,
  }))
    planned.set(key, { index, hash: example.id === undefined ? undefined : exampleHash(example) });
  signal.throwIfAborted();
  return planned;
}

/**
 * Selects the saved rollouts whose example is unchanged, at its present index. Throws a `ConfigError` if all saved rollouts would
 * be lost, because the run would then start from the beginning.
 */
export function currentRollouts(
  saved: readonly SavedRollout[],
  planned: PlannedExamples,
): readonly SavedRollout[] {
  const current = saved.flatMap((rollout) => {
    const example = planned.get(rollout.exampleKey);
    const isStale =
      example === undefined || (example.hash !== undefined && example.hash !== rollout.exampleHash);
    return isStale ? [] : [{ ...rollout, exampleIndex: example.index }];
  });
  if (current.length > 0 || saved.length === 0) return current;
  throw new ConfigError(
    `Cannot resume the run: its dataset has changed and no longer has the examples of its ${saved.length} saved rollouts. Restore the dataset, or start a new run without --resume.`,
  );
}

/** Group scores need every rollout of a group, so incomplete groups are played again. */
export function completeGroups(
  saved: readonly SavedRollout[],
  environment: Environment,
  { rolloutsPerExample }: EvaluationPlan,
): readonly SavedRollout[] {
  if (!hasGroupScores(environment)) return saved;
  const sizes = Map.groupBy(saved, ({ exampleKey }) => exampleKey);
  return saved.filter(({ exampleKey }) => sizes.get(exampleKey)!.length === rolloutsPerExample);
}

export function hasGroupScores({ definition, config }: Environment): boolean {
  return describeScores(definition, config).some(({ isGroup }) => isGroup);
}
