import { meanOf } from "@envs/records";

import { findLeak } from "./answer-leaks.ts";
import { describeReplies as describe, findBetterReply } from "./better-replies.ts";
import { formatEstimate, formatPercent } from "./format-estimate.ts";
import { mixedUpName } from "./judge-probes.ts";
import { answerOf } from "./reply-form.ts";
import {
  gainOf,
  keyOf,
  meanOther,
  pairsOf,
  repliesIn,
  type ReplyPlays,
  type RewardScale,
  scaleOf,
} from "./reply-plays.ts";
import { rewardsOf } from "./rewards.ts";

/**
 * Finds a fault of the rewards by wrong replies to the same examples, and describes it. Each check names a reply that earns
 * what only a right one should.
 */
export function findReplyFault(plays: ReplyPlays): string | undefined {
  const scale = scaleOf(plays);
  return (
    findFailure(plays) ??
    findState(plays) ??
    findLeak(plays) ??
    findBetterReply(plays, scale) ??
    (scale === undefined ? undefined : findCheapReply(plays, scale)) ??
    findWorthlessReply(plays) ??
    findConstantAnswer(plays)
  );
}

/** A model that fails is not discouraged: failed rollouts have no reward. */
function findFailure({ name, first, wrong }: ReplyPlays): string | undefined {
  for (const [reply, rollouts] of [[name, first] as const, ...wrong]) {
    const errors = rollouts.flatMap((rollout) =>
      rollout.status === "failed" && rollout.error.code === "score" ? [rollout.error] : [],
    );
    const [error] = errors;
    // A few replies of the first policy show examples that cannot be solved.
    const limit = reply === name ? 0.1 : 0.5;
    if (error !== undefined && errors.length > limit * rollouts.length)
      return `${formatPercent(errors.length / rollouts.length)} of the rollouts with ${describe(reply)} fail: ${error.message.replace(/\.$/u, "")}. A failed rollout has no reward, so a model does not learn to avoid it. Return a reward, usually 0`;
  }
  return undefined;
}

function findState({ name, first, again, isInformed }: ReplyPlays): string | undefined {
  const later = new Map(again.map((rollout) => [keyOf(rollout), rollout]));
  const pairs = first.flatMap((rollout) => {
    const other = later.get(keyOf(rollout));
    if (rollout.status !== "scored" || other?.status !== "scored") return [];
    return [{ first: rollout.reward, other: other.reward }];
  });
  const swapped = pairs.map((pair) => ({ first: pair.other, other: pair.first }));
  if (!isInformed || (gainOf(pairs) === 0 && gainOf(swapped) === 0)) return undefined;
  const [before, after] = [meanOf(rewardsOf(first)), meanOf(rewardsOf(again))];
  return `equal replies of ${name} earn ${figure(before)}, and ${figure(after)} when they are played again. A score remembers other rollouts: keep what changes in the state that setup returns`;
}

/** Finds wrong replies that earn nearly as much as the first policy. */
function findCheapReply(
  { name, first, wrong, contents, isInformed }: ReplyPlays,
  scale: RewardScale,
): string | undefined {
  if (!isInformed) return undefined;
  const mean = (reply: string): number =>
    meanOther(pairsOf(first, wrong.get(reply) ?? [])) ?? scale.floor;
  const share = (reply: string): number => scale.share(mean(reply));
  const compare = (reply: string): string =>
    `${describe(reply)} earn ${figure(mean(reply))}, where ${name} earns ${figure(scale.best)}`;
  const [silence, letter, long] = [
    "empty replies",
    "replies of one letter",
    "long replies without an answer",
  ] as const;
  if (share(silence) > 0.52) return `${compare(silence)}. Give nothing for a missing answer`;
  if (share(long) - Math.max(0, share(letter)) > 0.1)
    return `${compare(long)}, and ${letter} ${figure(mean(letter))}: the reward depends on the length of a reply`;
  const others = pairsOf(first, wrong.get(mixedUpName) ?? []).map(({ other }) => other);
  const max = Math.max(...[...wrong.values()].flatMap(rewardsOf));
  // Where the first policy earns little, expected answers are wrong.
  if (scale.share(max) <= 2) {
    if (share(mixedUpName) >= 0.95)
      return `right answers to other examples earn ${figure(mean(mixedUpName))}, where ${name} earns ${figure(scale.best)}: the reward pays for the form only. Compare the reply with the answer of its example`;
    if (plateauOf(others, scale) > 0.52)
      return `right answers to other examples earn ${figure(mean(mixedUpName))}, where ${name} earns ${figure(scale.best)}: the reward pays more for the form than for the answer. Lower the weight of the form`;
  }
  if (share(mixedUpName) >= 0.5) return undefined;
  const start = "first characters of answers";
  const longAnswers = contents.filter((content) => answerOf(content).length >= 3);
  if (longAnswers.length >= contents.length / 2 && share(start) >= 0.8)
    return `${compare(start)}. Compare the whole answer`;
  if (contents.length < 4) return undefined;
  const list = ["lists of all answers", "all replies in one"].find((reply) => share(reply) >= 0.8);
  if (list === undefined) return undefined;
  return `${compare(list)}. Reject a reply with several answers, or let only the last one count`;
}

/** The share of the best reward that most wrong replies earn exactly; 0 if they earn different rewards. */
function plateauOf(rewards: readonly number[], scale: RewardScale): number {
  const median = rewards.toSorted((left, right) => left - right)[rewards.length >> 1];
  if (median === undefined) return 0;
  const equal = rewards.filter((reward) => Math.abs(reward - median) < 1e-6);
  return equal.length >= 0.8 * rewards.length ? scale.share(median) : 0;
}

/** The share of examples on which the first policy may earn no more than silence. Solvers miss a few. */
const maxWorthless = 0.125;

function findWorthlessReply({ name, first, wrong, isInformed }: ReplyPlays): string | undefined {
  const rewards = rewardsOf(first);
  const all = [...rewards, ...[...wrong.values()].flatMap(rewardsOf)];
  const [lowest, highest] = [Math.min(...all), Math.max(...all)];
  if (Math.max(...rewards) <= lowest && highest > lowest)
    return `${name} earns ${figure(lowest)} on every example, no more than any other reply, although some replies earn ${figure(highest)}. Check the expected answers, and list the policy with the best replies first`;
  if (!isInformed || !isSingleTurn(first)) return undefined;
  // If answers to other examples earn as much, the fault has another explanation.
  if (gainOf(pairsOf(wrong.get(mixedUpName) ?? [], first)) === 0) return undefined;
  const silence = ["empty replies", "replies of one letter"].map(
    (reply) => new Map((wrong.get(reply) ?? []).map((rollout) => [keyOf(rollout), rollout])),
  );
  const compared = first.filter((rollout) => silence[0]!.has(keyOf(rollout)));
  const worthless = compared.filter((rollout) =>
    silence.some((rollouts) => {
      const [pair] = pairsOf([rollout], [rollouts.get(keyOf(rollout))!]);
      return pair !== undefined && pair.first <= pair.other + 1e-9;
    }),
  );
  if (worthless.length <= maxWorthless * compared.length) return undefined;
  return `${name} earns no more than an empty reply or a single letter on ${formatPercent(worthless.length / compared.length)} of the examples, such as ${worthless[0]!.exampleKey}. Check their expected answers. If these are right, list the policy with the best replies first`;
}

/** The share of the first policy's reward from which on one reply is enough. */
const maxConstant = 0.9;

function findConstantAnswer({ first, wrong, isInformed }: ReplyPlays): string | undefined {
  const examples = new Set(first.map(({ exampleKey }) => exampleKey));
  if (!isSingleTurn(first) || examples.size < 8) return undefined;
  const rewards = rewardsOf(first);
  const replies = new Set(first.flatMap(repliesIn));
  const common = wrong.get("repetitions of one reply") ?? [];
  const floor = Math.min(...[...wrong.values()].flatMap(rewardsOf));
  const isConstant = replies.size === 1 && Math.min(...rewards) === Math.max(...rewards);
  const isNearlyConstant =
    isInformed &&
    gainOf(pairsOf(wrong.get(mixedUpName) ?? [], first)) > 0 &&
    meanOf(rewardsOf(common)) - floor >= maxConstant * (meanOf(rewards) - floor);
  if (!isConstant && !isNearlyConstant) return undefined;
  const [reply] = repliesIn((isConstant ? first : common)[0]!);
  return `the reply ${JSON.stringify(reply!.slice(0, 60))} earns ${figure(meanOf(rewardsOf(isConstant ? first : common)))} whatever the prompt, so a model would learn to repeat it. Balance the answers of the dataset`;
}

function isSingleTurn(rollouts: ReplyPlays["first"]): boolean {
  return rollouts.every(({ trajectory }) => trajectory.length <= 1);
}

function figure(value: number): string {
  return formatEstimate(value, 0);
}
