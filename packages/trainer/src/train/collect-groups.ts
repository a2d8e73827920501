import {
  type Environment,
  type EnvironmentFactory,
  type JudgeModels,
  type Model,
  random,
  type Rollout,
  rollouts,
  type Sampling,
} from "@envs/core";
import { describeScores, trainableSeatsOf } from "@envs/core/engine";

import { dropZeroVariance, type GroupReport } from "../algorithms/groups.ts";
import {
  type Credit,
  hasOtherSignal,
  type RolloutGroup,
  trainedReward,
} from "./group-advantages.ts";
import type { RlPhase } from "./plan.ts";
import type { PlayRollouts } from "./play-rollouts.ts";
import { groupsBySeat, selfPlayModels } from "./self-play.ts";

export interface CollectOptions {
  readonly factory: EnvironmentFactory;
  readonly model: Model;
  /** Required if a score asks a judge. */
  readonly judge?: JudgeModels | undefined;
  /** Answers sub-model calls. Default: `model`. */
  readonly subModel?: Model | undefined;
  /** Default: core's `rollouts()`. */
  readonly play?: PlayRollouts | undefined;
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
  readonly report: GroupReport;
}

/** Plays groups, drops those without variance, and refills the batch as often as the phase allows. */
export async function collectGroups(options: CollectOptions): Promise<CollectedGroups> {
  const { phase, seed, step } = options;
  const credit: Credit = { phase, scoreWeights: scoreWeights(options) };
  const seats = phase.selfPlay ? trainableSeatsOf(sourceOf(options)).length : 1;
  const batchSize = seats * phase.sources.reduce((sum, { groups }) => sum + groups, 0);
  const played: Rollout[] = [];
  const all: RolloutGroup[] = [];
  let kept: readonly RolloutGroup[] = [];
  for (let round = 0; round <= phase.resample && kept.length < batchSize; round += 1) {
    const counts = groupsPerSource(phase, (batchSize - kept.length) / seats);
    const groups = await playGroups(options, counts, `${seed}/${step}/${round}`);
    played.push(...groups.flat());
    all.push(...groups.flatMap(groupsBySeat));
    kept = phase.dropZeroVariance ? withVariance(all, credit).groups.slice(0, batchSize) : all;
  }
  return { groups: kept, rollouts: played, report: withVariance(all, credit).report };
}

/** The weights of the environment's scores, with the config of the first source. */
export function scoreWeights(
  options: Pick<CollectOptions, "factory" | "phase">,
): Record<string, number> {
  const { definition, config } = sourceOf(options);
  return Object.fromEntries(
    describeScores(definition, config).map(({ name, weight }) => [name, weight]),
  );
}

/** The environment with the config of the first source. */
function sourceOf({ factory, phase }: Pick<CollectOptions, "factory" | "phase">): Environment {
  return factory(phase.sources[0]!.config);
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
): Promise<RolloutGroup[]> {
  const { temperature, topP, maxTokens, maxTurns, rolloutsPerExample, shuffle, selfPlay } = phase;
  const sampling: Sampling = { temperature, topP, maxTokens };
  const groupsBySource = await Promise.all(
    phase.sources.map(async ({ config }, source) => {
      const examples = counts[source] ?? 0;
      if (examples === 0) return [];
      const all: Rollout[] = [];
      const environment = factory(config);
      for await (const rollout of play(environment, {
        model: selfPlay ? selfPlayModels(environment, model) : model,
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
  return groupsBySource.flat();
}

/** Distributes `missing` groups over the sources in proportion to their share of a batch. */
function groupsPerSource(phase: RlPhase, missing: number): number[] {
  const total = phase.sources.reduce((sum, { groups }) => sum + groups, 0);
  return phase.sources.map(({ groups }) => Math.ceil((groups * missing) / total));
}
