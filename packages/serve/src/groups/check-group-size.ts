import { ConfigError } from "@envs/core";

import { type EnvironmentCard, groupScoresOf } from "../host/episode-host.ts";

/**
 * Throws a `ConfigError` if an environment compares the rollouts of an example and the size of a group is unknown. A
 * rollout alone in its group would always be the best one.
 */
export function checkGroupSize(
  card: Pick<EnvironmentCard, "name" | "scores">,
  groupSize: number | undefined,
): void {
  if (groupSize !== undefined && !(Number.isInteger(groupSize) && groupSize >= 2))
    throw new ConfigError(`groupSize is ${groupSize}. It must be a whole number of at least 2.`);
  const names = groupScoresOf(card);
  if (names.length === 0 || groupSize !== undefined) return;
  throw new ConfigError(
    `${card.name} has a score that compares the rollouts of one example (${names.join(", ")}), but most trainers request the reward of one rollout at a time. Pass the number of rollouts of an example with --group-size: NeMo Gym's /verify then waits for all of them; other clients receive no reward at the end of an episode, and post their sessions to /${card.name}/score_group. Or give the score the weight 0.`,
  );
}
