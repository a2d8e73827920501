import { type EnvironmentFactory, random, type Rollout, rollouts, type Sampling } from "@envs/core";
import { describeScores } from "@envs/core/engine";

import { dropZeroVariance } from "../algorithms/groups.ts";
import {
  type Credit,
  hasOtherSignal,
  type RolloutGroup,
  trainedReward,
} from "./group-advantages.ts";
import { groupsBySeat, modelSeats, seatModels } from "./model-seats.ts";
import type { RlPhase } from "./plan.ts";
import type { Players } from "./play-rollouts.ts";

export interface CollectOptions extends Players {
  readonly factory: EnvironmentFactory;
  readonly phase: RlPhase;
  readonly seed: string;
  /** From 0. */
  readonly step: number;
  readonly signal: AbortSignal;
}

/** The rollouts of one training step. */
export interface CollectedGroups {
  /** The groups to train on. */
  readonly groups: readonly RolloutGroup[];
  /** All rollouts, including those of dropped groups. */
  readonly rollouts: readonly Rollout[];
  /** The share of the groups without a learning signal. */
  readonly zeroVariance: number;
}

/** Plays groups, drops those without variance, and refills the batch as often as the phase allows. */
export async function collectGroups(options: CollectOptions): Promise<CollectedGroups> {
  const { phase, seed, step } = options;
  const credit: Credit = { phase, scoreWeights: scoreWeights(options) };
  const batchSize = batchSizeOf(options);
  const played: Rollout[] = [];
  const all: RolloutGroup[] = [];
  let kept: readonly RolloutGroup[] = [];
  for (let round = 0; round <= phase.resample && kept.length < batchSize; round += 1) {
    const missing = (batchSize - kept.length) / batchSize;
    const counts = phase.sources.map(({ groups }) => Math.ceil(groups * missing));
    const batch = await playGroups(options, counts, `${seed}/${step}/${round}`);
    played.push(...batch.played);
    all.push(...batch.groups);
    kept = phase.dropZeroVariance ? withVariance(all, credit).groups.slice(0, batchSize) : all;
  }
  const { zeroVariance } = withVariance(all, credit);
  return { groups: kept, rollouts: played, zeroVariance };
}

/** The weights of the environment's scores, with the config of the first source. */
export function scoreWeights({
  factory,
  phase,
}: Pick<CollectOptions, "factory" | "phase">): Record<string, number> {
  const { definition, config } = factory(phase.sources[0]!.config);
  return Object.fromEntries(
    describeScores(definition, config).map(({ name, weight }) => [name, weight]),
  );
}

/** The number of groups in a batch, where each seat that the model takes has its own groups. */
function batchSizeOf({ factory, phase }: CollectOptions): number {
  const sizes = phase.sources.map(({ config, groups, policies }) => {
    const seats = modelSeats(factory(config), { selfPlay: phase.selfPlay, policies });
    return groups * (seats?.length ?? 1);
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function withVariance(
  groups: readonly RolloutGroup[],
  credit: Credit,
): ReturnType<typeof dropZeroVariance<RolloutGroup>> {
  return dropZeroVariance(
    groups,
    (group) => group.map((rollout) => trainedReward(rollout, credit.phase)),
    (group) => hasOtherSignal(group, credit),
  );
}

/** Plays all groups concurrently. `counts` is the number of groups per source. */
async function playGroups(
  { factory, model, judge, subModel, play = rollouts, phase, signal }: CollectOptions,
  counts: readonly number[],
  seed: string,
): Promise<{ readonly played: readonly Rollout[]; readonly groups: readonly RolloutGroup[] }> {
  const { temperature, topP, maxTokens, maxTurns, rolloutsPerExample, shuffle, selfPlay } = phase;
  const sampling: Sampling = { temperature, topP, maxTokens };
  const batches = await Promise.all(
    phase.sources.map(async ({ config, policies }, source) => {
      const examples = counts[source] ?? 0;
      const played: Rollout[] = [];
      if (examples === 0) return { played, groups: [] };
      const environment = factory(config);
      const settings = { selfPlay, policies };
      for await (const rollout of play(environment, {
        model: seatModels(environment, model, settings),
        judge,
        subModel,
        sampling,
        examples,
        rolloutsPerExample,
        concurrency: examples * rolloutsPerExample,
        seed: random("batch", seed, source).int(2 ** 31),
        shuffle,
        signal,
        maxTurns,
      }))
        played.push(rollout);
      const groups = byExample(played);
      const seats = modelSeats(environment, settings);
      return {
        played: groups.flat(),
        groups: groups.flatMap((group) => groupsBySeat(group, seats)),
      };
    }),
  );
  return {
    played: batches.flatMap(({ played }) => played),
    groups: batches.flatMap(({ groups }) => groups),
  };
}

/** The rollouts of each example, in the order of a run without concurrency. */
function byExample(played: readonly Rollout[]): readonly RolloutGroup[] {
  const groups = Map.groupBy(
    played,
    ({ exampleIndex, exampleKey }) => `${exampleIndex} ${exampleKey}`,
  );
  return [...groups.values()]
    .map((group) => group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex))
    .toSorted(([a], [b]) => a!.exampleIndex - b!.exampleIndex);
}
