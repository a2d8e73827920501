import {
  type Environment,
  evaluate,
  type JudgeModels,
  type Model,
  policy,
  type Rollout,
} from "@envs/core";
import { judgedScores, policyNamesOf } from "@envs/core/engine";
import { meanOf } from "@envs/records";

import type { Probe } from "./evidence.ts";
import { mixedUpName, paddedName, scrambledName } from "./judge-probes.ts";
import { findReplyFault } from "./reply-faults.ts";
import { contentOf, formOf } from "./reply-form.ts";
import { rewardDifference, rewardsOf } from "./rewards.ts";
import { mixedUpModel, paddedModel, scrambledModel } from "./scripted-models.ts";
import { changedModel, delayedModel, delayedName, wrongReplies } from "./wrong-replies.ts";

export interface ProbeResults {
  /** The first policy's probe comes first. */
  readonly probes: readonly Probe[];
  readonly rollouts: readonly Rollout[];
  /** The replies of the first policy. */
  readonly replies: readonly string[];
  /** The same as in the evidence. */
  readonly isInformed: boolean;
  /** A fault that wrong replies to the same examples show. */
  readonly fault: string | undefined;
}

interface ProbeOptions {
  readonly judge: JudgeModels;
  /** Number of different examples. */
  readonly examples: number;
  readonly rolloutsPerExample: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/**
 * Measures whether the reward depends on the replies. Plays each policy on the same examples, and the replies of the first policy
 * to other messages, with shuffled characters, and repeated. Plays other wrong replies on some of the examples, unless a judge scores
 * them.
 */
export async function runProbes(
  environment: Environment,
  options: ProbeOptions,
): Promise<ProbeResults> {
  const names = policyNamesOf(environment);
  const best = names[0]!;
  const play = async (
    model: Model,
    changes: Partial<ProbeOptions> = {},
  ): Promise<readonly Rollout[]> => {
    const settings = { ...options, ...changes, model, concurrency: 64 };
    return (await evaluate(environment, settings)).rollouts;
  };
  const bestRollouts = await play(policy(best));
  const replies = repliesIn(bestRollouts);
  const others: [name: string, model: Model][] = names
    .slice(1)
    .map((name) => [`policy:${name}`, policy(name)]);
  if (replies.length > 0) others.push([mixedUpName, mixedUpModel(replies, best)]);
  others.push([scrambledName, scrambledModel(best)], [paddedName, paddedModel(best)]);
  const probes: Probe[] = [{ name: `policy:${best}`, reward: meanReward(bestRollouts) }];
  const rollouts = [...bestRollouts];
  const wrong = new Map<string, readonly Rollout[]>();
  for (const [name, model] of others) {
    const otherRollouts = await play(model);
    rollouts.push(...otherRollouts);
    if (!name.startsWith("policy:")) wrong.set(name, otherRollouts);
    const lead = rewardDifference(otherRollouts, bestRollouts);
    probes.push({ name, reward: meanReward(otherRollouts), lead });
  }
  const again = await play(policy(best), { seed: options.seed + 1 });
  const repeated = replyByExample(again);
  const isInformed =
    new Set(replies).size > 1 &&
    [...replyByExample(bestRollouts)].every(([key, reply]) => repeated.get(key) === reply);
  const form = formOf(replies);
  const contents = [...new Set(replies.map((reply) => contentOf(reply, form)))];
  const models = new Map(
    Object.entries(wrongReplies).map(([name, change]) => [
      name,
      changedModel(best, { change, replies, form, contents }),
    ]),
  );
  if (bestRollouts.some(({ trajectory }) => trajectory.length > 1))
    models.set(delayedName, delayedModel(best));
  if (judgedScores(environment).length === 0)
    for (const [name, model] of models)
      wrong.set(name, await play(model, { examples: Math.min(wrongExamples, options.examples) }));
  const { name } = probes[0]!;
  const plays = { name, first: bestRollouts, again, wrong, form, contents, isInformed };
  return { probes, rollouts, replies, isInformed, fault: findReplyFault(plays) };
}

/** The number of examples of each wrong reply that the report does not list. */
const wrongExamples = 32;

function replyByExample(rollouts: readonly Rollout[]): Map<string, string> {
  return new Map(
    rollouts.map((rollout) => [rollout.exampleKey, JSON.stringify(repliesIn([rollout]))]),
  );
}

/** The mean reward; `null` if every rollout failed. */
function meanReward(rollouts: readonly Rollout[]): number | null {
  const rewards = rewardsOf(rollouts);
  return rewards.length === 0 ? null : meanOf(rewards);
}

function repliesIn(rollouts: readonly Rollout[]): string[] {
  return rollouts.flatMap(({ trajectory }) => trajectory.map(({ message }) => message.content));
}
