import type { Interval } from "@envs/records";

import type { Probe, SmokeEvidence } from "./evidence.ts";
import { formatEstimate } from "./format-estimate.ts";

/** The minimum change that counts as an effect, in standard deviations of the reward. */
export const minEffect = 0.2;

/** An interval is precise enough to call two rewards equal if its half is at most this many standard deviations. */
const maxMargin = 0.5;

/**
 * Finds a fault of the rewards that needs no training, and describes it. Rewards contradict the first policy if its replies to
 * other messages, or with shuffled characters, earn more. They measure length if only longer replies change the reward, and are
 * independent of the reply if no probe changes it. The expected answers are wrong if a deterministic policy whose replies differ
 * by example earns no more than by its replies to other examples. {@link findReplyFault} finds others.
 */
export function findRewardFault(evidence: SmokeEvidence): string | undefined {
  const { probes, isRelative, isInformed } = evidence;
  const { deviation, max } = evidence.scripted;
  const [first] = probes;
  // A score that compares the rollouts of a group has no meaning for the single rollouts of probes.
  if (isRelative || first === undefined || first.reward === null) return undefined;
  if (evidence.fault !== undefined) return evidence.fault;
  // The replies of a random policy may earn as much, or by chance more, for other messages.
  const minGain = isInformed ? 0 : maxMargin * deviation;
  const better = probes.find(
    (probe) => isWrongReply(probe) && probe.lead.high < 0 && -probe.lead.mean >= minGain,
  );
  if (better !== undefined)
    return `${better.name} replies earn more than ${first.name}: ${reward(better)} instead of ${reward(first)}. Check the sign of each score and its weight, and the expected answers. If the rewards are right, list the policy with the best replies first`;
  const isEqual = ({ lead }: Probe): boolean =>
    lead !== undefined &&
    lead.low <= 0 &&
    lead.high >= 0 &&
    lead.high - lead.low <= 2 * maxMargin * deviation;
  if (probes.every((probe, index) => index === 0 || isPadded(probe) || isEqual(probe))) {
    const equal = `replies to other messages and shuffled characters earn as much as ${first.name} (${reward(first)})`;
    const padded = probes.find(isPadded);
    // Other replies of a random policy are as good as its first, so equal rewards do not show a fault.
    if (padded?.lead !== undefined && (padded.lead.high < 0 || padded.lead.low > 0))
      return !isInformed
        ? undefined
        : `${equal}, but longer replies earn ${reward(padded)}: the reward depends on the length of a reply, and not on its content`;
    return `${equal}. Check that the reward depends on the reply`;
  }
  const mixedUp = probes.find(({ name }) => name === mixedUpName);
  if (mixedUp === undefined || !isEqual(mixedUp) || !isInformed) return undefined;
  if (first.reward + minEffect * deviation >= max) return undefined;
  return `${first.name} earns ${reward(first)}, no more than by its replies to other messages (${reward(mixedUp)}), although some replies earn ${formatEstimate(max, 0)}. Check that the expected answer belongs to its example`;
}

export const mixedUpName = "mixed up";
export const scrambledName = "scrambled";
export const paddedName = "padded";

/**
 * Finds a probe with wrong replies that earns less than the first policy. If there is one, the reward depends on the
 * replies.
 */
export function findSensitiveProbe(probes: readonly Probe[]): Probe | undefined {
  return probes.find((probe) => isWrongReply(probe) && probe.lead.low > 0);
}

function isWrongReply(probe: Probe): probe is Probe & { readonly lead: Interval } {
  return (probe.name === mixedUpName || probe.name === scrambledName) && probe.lead !== undefined;
}

function isPadded({ name }: Probe): boolean {
  return name === paddedName;
}

function reward({ reward: value }: Probe): string {
  return formatEstimate(value ?? 0, 0);
}
