import {
  type EnvironmentFactory,
  type Model,
  random,
  type Rollout,
  rollouts,
  type Sampling,
} from "@envs/core";

import type { RlPhase } from "./plan.ts";

/** Rollouts of one example, in the order of their numbers. */
export type Group = readonly Rollout[];

/** What plays, where, and with which randomness. */
export interface Collector {
  readonly factory: EnvironmentFactory;
  readonly model: Model;
  readonly phase: RlPhase;
  readonly signal: AbortSignal;
}

/** Plays the groups of one batch, all at once. `parts`: how many groups each source gives. */
export async function playGroups(
  { factory, model, phase, signal }: Collector,
  parts: readonly number[],
  seed: string,
): Promise<Group[]> {
  const { temperature, topP, maxTokens, maxTurns, rolloutsPerExample, shuffle } = phase;
  const sampling: Sampling = {
    temperature,
    topP,
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
  const played = await Promise.all(
    phase.sources.map(async ({ config }, source) => {
      const examples = parts[source] ?? 0;
      if (examples === 0) return [];
      const all: Rollout[] = [];
      for await (const rollout of rollouts(factory(config), {
        model,
        sampling,
        examples,
        rolloutsPerExample,
        concurrency: examples * rolloutsPerExample,
        seed: random("batch", seed, source).int(2 ** 31),
        shuffle,
        signal,
        ...(maxTurns === undefined ? {} : { maxTurns }),
      }))
        all.push(rollout);
      const groups = Map.groupBy(
        all,
        ({ exampleIndex, exampleKey }) => `${exampleIndex} ${exampleKey}`,
      );
      return [...groups.values()]
        .map((group) => group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex))
        .toSorted(([a], [b]) => a!.exampleIndex - b!.exampleIndex);
    }),
  );
  return played.flat();
}

/** Shares `missing` groups out among the sources in proportion to what each gives to a batch. */
export function partsOf(phase: RlPhase, missing: number): number[] {
  const total = phase.sources.reduce((sum, { groups }) => sum + groups, 0);
  return phase.sources.map(({ groups }) => Math.ceil((groups * missing) / total));
}
