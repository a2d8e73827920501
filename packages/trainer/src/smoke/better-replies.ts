import { meanOf } from "@envs/records";

import { formatEstimate } from "./format-estimate.ts";
import { mixedUpName, paddedName, scrambledName } from "./judge-probes.ts";
import { gainOf, pairsOf, type ReplyPlays, type RewardScale } from "./reply-plays.ts";
import { delayedName } from "./wrong-replies.ts";

const [larger, smaller] = ["answers that are one larger", "answers that are one smaller"] as const;

/** Explanations of replies that earn more than the first policy, the most specific first. */
const explanations: Readonly<Record<string, string>> = {
  [larger]: "The expected answers may be off by one",
  [smaller]: "The expected answers may be off by one",
  "answers without their last character": "The expected answers may lack their last character",
  "answers in lower case": "The expected answers may be in another case",
  "answers in capitals": "The expected answers may be in another case",
  [paddedName]: "The reward grows with the length of a reply",
  [delayedName]: "The reward grows with the number of turns",
  "long replies without an answer": "The reward grows with the length of a reply",
};

/** The smallest gain that counts, as a share of the first policy's reward. */
const minGain = 0.05;

/** Finds a wrong reply that surely earns more than the first policy. */
export function findBetterReply(
  { name, first, wrong, isInformed }: ReplyPlays,
  scale: RewardScale | undefined,
): string | undefined {
  // Changed replies of a random policy may be better by chance.
  if (!isInformed) return undefined;
  const gains = new Map(
    [...wrong].map(([reply, rollouts]) => [reply, gainOf(pairsOf(first, rollouts))]),
  );
  const gain = (reply: string): number => gains.get(reply) ?? 0;
  const largest = Math.max(...gains.values());
  if (largest <= (scale === undefined ? 0 : minGain * (scale.best - scale.floor))) return undefined;
  const best = [mixedUpName, ...Object.keys(explanations), ...gains.keys()].find(
    (reply) => gain(reply) >= largest / 2,
  )!;
  const own = meanOf(pairsOf(first, wrong.get(best)!).map((pair) => pair.first));
  const isNearMiss = best === larger && gain(smaller) > 0;
  const explanation = isNearMiss
    ? "A near miss earns more than the right answer"
    : (explanations[best] ??
      "Check the sign of each score and its weight, and the expected answers");
  return `${describeReplies(best)} earn more than ${name}: ${formatEstimate(own + gain(best), 0)} instead of ${formatEstimate(own, 0)}. ${explanation}. If the rewards are right, list the policy with the best replies first`;
}

/** The name of a probe as a subject. */
export function describeReplies(name: string): string {
  return [mixedUpName, scrambledName, paddedName].includes(name) ? `${name} replies` : name;
}
