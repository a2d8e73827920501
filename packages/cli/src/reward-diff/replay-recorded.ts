import type { Environment, EnvironmentFactory, Rollout, ScoredRollout } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import {
  bundleClient,
  bundleRequests,
  recordOf,
  type RewardDiff,
  rewardDiffer,
} from "@envs/records/bundle";

import { type PromptsFile, promptsSetter } from "../optimization/prompts-file.ts";

/** The rollouts of a run, and the settings that determine its dataset. */
export interface RecordedRun {
  readonly model: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number | undefined;
  readonly split: string | undefined;
  readonly maxTurns: number | undefined;
  /** The prompts that replaced the environment's. */
  readonly prompts?: PromptsFile | undefined;
  readonly rollouts: readonly Rollout[];
}

/** The tolerance for rewards: both sides run in the same engine, but sums may be in another order. */
const tolerance = 1e-12;

/** Replays the replies of recorded runs with an environment, and compares the rewards. */
export async function replayRecorded(
  factory: EnvironmentFactory,
  runs: readonly RecordedRun[],
): Promise<RewardDiff> {
  const differ = rewardDiffer(tolerance);
  for (const { model, rollouts, config, seed, split, maxTurns, prompts } of runs) {
    const { replay } = bundleClient(bundleRequests(await withRunPrompts(factory, prompts)));
    const scored = rollouts.filter(
      (rollout): rollout is ScoredRollout => rollout.status === "scored",
    );
    for (const group of Map.groupBy(scored, ({ exampleKey }) => exampleKey).values()) {
      const ordered = group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
      const { exampleIndex: index, exampleKey: key } = ordered[0]!;
      const replayed = await replay({
        config,
        seed,
        split,
        maxTurns,
        example: { index, key, isMovable: true },
        rollouts: ordered.flatMap((rollout) => recordOf(rollout) ?? []),
      }).then(
        (response) => response.rollouts,
        (error: unknown) => ordered.map(() => ({ problem: messageOf(error) })),
      );
      for (const [position, recorded] of ordered.entries())
        differ.add(model, recorded, replayed[position]!);
    }
  }
  return differ.result();
}

async function withRunPrompts(
  factory: EnvironmentFactory,
  prompts: PromptsFile | undefined,
): Promise<EnvironmentFactory> {
  if (prompts === undefined) return factory;
  const withPrompts = await promptsSetter(prompts);
  const prompted = (config?: unknown): Environment =>
    withPrompts(factory(config as Parameters<typeof factory>[0]));
  return Object.assign(prompted, { definition: factory.definition });
}
