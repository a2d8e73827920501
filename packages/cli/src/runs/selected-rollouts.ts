import type { Rollout } from "@envs/core";
import type { KeyedExample } from "@envs/core/engine";
import { selectOf } from "@envs/viewer";

/** The rollouts of the examples that `--select` names; all without it. */
export async function ofSelectedExamples(
  rollouts: readonly Rollout[],
  text: string | undefined,
): Promise<readonly Rollout[]> {
  const select = selectOf(text);
  if (select === undefined) return rollouts;
  const keys = new Set<string>();
  for await (const { key } of select(examplesOf(rollouts))) keys.add(key);
  return rollouts.filter(({ exampleKey }) => keys.has(exampleKey));
}

/** The examples of saved rollouts, in the order of the dataset. */
async function* examplesOf(rollouts: readonly Rollout[]): AsyncGenerator<KeyedExample> {
  const seen = new Set<string>();
  for (const { example, exampleIndex, exampleKey } of rollouts.toSorted(
    (a, b) => a.exampleIndex - b.exampleIndex,
  )) {
    if (seen.has(exampleKey)) continue;
    seen.add(exampleKey);
    yield { example, index: exampleIndex, key: exampleKey };
  }
}
