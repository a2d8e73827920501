import { type Environment, evaluate, type Model, policy, type Rollout } from "@envs/core";

import type { Probe } from "./evidence.ts";
import { meanOf } from "./interval.ts";
import { mixedUp, scrambled } from "./players.ts";
import { differenceOf, rewardsOf } from "./rewards.ts";

/** What was played without a model. */
export interface Probed {
  readonly probes: readonly Probe[];
  readonly rollouts: readonly Rollout[];
  /** What the first policy said. */
  readonly replies: readonly string[];
}

interface ProbeOptions {
  readonly examples: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/**
 * Finds out whether the reward heeds what is said, on the same examples: what each policy earns, what replies earn that
 * belong to other moments, and what the first policy's characters earn in disorder.
 */
export async function probe(environment: Environment, options: ProbeOptions): Promise<Probed> {
  const names = Object.keys(environment.definition.policies ?? {});
  const best = names[0]!;
  const play = async (model: Model): Promise<readonly Rollout[]> => {
    const all = { ...options, model, rolloutsPerExample: 1, concurrency: 64 };
    return (await evaluate(environment, all)).rollouts;
  };
  const first = await play(policy(best));
  const replies = repliesOf(first);
  const others: [name: string, model: Model][] = names
    .slice(1)
    .map((name) => [`policy:${name}`, policy(name)]);
  if (replies.length > 0) others.push(["mixed up", mixedUp(replies)]);
  others.push(["scrambled", scrambled(best)]);
  const probes: Probe[] = [probed(`policy:${best}`, first)];
  const rollouts = [...first];
  for (const [name, model] of others) {
    const played = await play(model);
    rollouts.push(...played);
    const lead = differenceOf(played, first);
    probes.push({ ...probed(name, played), ...(lead === undefined ? {} : { lead }) });
  }
  return { probes, rollouts, replies };
}

function probed(name: string, rollouts: readonly Rollout[]): Probe {
  const rewards = rewardsOf(rollouts);
  return { name, reward: rewards.length === 0 ? null : meanOf(rewards) };
}

function repliesOf(rollouts: readonly Rollout[]): string[] {
  return rollouts.flatMap(({ trajectory }) => trajectory.map(({ message }) => message.content));
}
