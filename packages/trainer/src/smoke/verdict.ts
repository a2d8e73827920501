// prose-ignore-file: “cannot tell” is an answer in the JSON report.
import type { Learning, Probe, SmokeEvidence } from "./evidence.ts";
import { formatEstimate, formatInterval, formatPercent } from "./format-estimate.ts";
import { findRewardFault, findSensitiveProbe, minEffect } from "./judge-probes.ts";
import { smokeWarnings } from "./warnings.ts";

/** Whether a model can learn from an environment. */
export interface Verdict {
  readonly answer: "learnable" | "not learnable" | "cannot tell";
  readonly reason: string;
  readonly warnings: readonly string[];
}

/** From this share of groups with equal rewards on, training has no signal. */
const maxEqualGroups = 0.9;

/** The remaining share of the distance to the first policy's reward at which a model counts as equally good. */
const nearlyBest = 0.05;

type Judgement = readonly [answer: Verdict["answer"], reason: string];

/**
 * Judges the evidence. The environment is not learnable if its rewards have a fault that shows without training, see
 * {@link findRewardFault}. Otherwise it is learnable if the reward on evaluation examples rose significantly, and by at
 * least {@link minEffect} where wrong replies earn as much as good ones. It is not learnable if the reward did not rise and
 * wrong replies earn as much as good ones. Otherwise the verdict is “cannot tell”, with the reason.
 */
export function verdictOn(evidence: SmokeEvidence): Verdict {
  const [answer, reason] = judgeRewards(evidence) ?? judgeLearning(evidence);
  return { answer, reason, warnings: smokeWarnings(evidence) };
}

/** Judges rewards that are missing, all equal, or faulty, which needs no training. */
function judgeRewards(evidence: SmokeEvidence): Judgement | undefined {
  const { failures, constant, probes } = evidence;
  const { failed, played, message = "no message" } = failures;
  if (failed > played / 2) {
    const share = `${formatPercent(failed / played)} of the rollouts`;
    const subject = failed === played ? "every rollout" : share;
    return ["not learnable", `${subject} failed and has no reward. The first error: ${message}`];
  }
  if (constant === undefined) {
    const fault = findRewardFault(evidence);
    return fault === undefined ? undefined : ["not learnable", fault];
  }
  return [
    "not learnable",
    `every reward was ${formatEstimate(constant, 0)}, whatever the reply: ${formatList(probes.map(({ name }) => name))} earned the same`,
  ];
}

function judgeLearning(evidence: SmokeEvidence): Judgement {
  const { learning, obstacle, isRelative, probes } = evidence;
  if (learning === undefined) return ["cannot tell", obstacle ?? "no model was trained"];
  const { before, difference, deviation, zeroVariance } = learning;
  const minChange = minEffect * deviation;
  const sensitiveProbe = findSensitiveProbe(probes);
  if (difference.low > 0 && (sensitiveProbe !== undefined || difference.mean >= minChange))
    return ["learnable", `reward rose ${describeChange(learning)}`];
  if (obstacle !== undefined) return ["cannot tell", obstacle];

  const hasEqualGroups = zeroVariance >= maxEqualGroups;
  if (!hasEqualGroups && difference.high >= minChange)
    return ["cannot tell", `reward went ${describeChange(learning)}, which may be chance`];
  const finding = hasEqualGroups ? describeEqualGroups(learning) : describeStagnation(learning);
  if (isRelative)
    return [
      "cannot tell",
      `${finding}. But some scores compare the rollouts of a group with each other, and their mean may stay constant while a model learns`,
    ];
  if (isNearlyBest(probes, before))
    return [
      "cannot tell",
      `${finding}. But the model earned as much as ${probes[0]!.name} before reinforcement learning, so it had little left to learn. Choose harder examples with the environment's options`,
    ];
  if (sensitiveProbe === undefined)
    return [
      "not learnable",
      `${finding}. Replies to other messages and shuffled characters earn as much as ${probes[0]?.name ?? "the first policy"}. Check that the reward depends on the reply`,
    ];
  const { rise } = learning;
  if (!hasEqualGroups && rise !== undefined && rise.low > 0)
    return [
      "cannot tell",
      `${finding}. But it rose by ${formatInterval(rise)} on the training examples, so the model memorises them. Use more examples, or easier ones`,
    ];
  return [
    "cannot tell",
    `${finding}. But the reward does depend on the reply (${describeReward(probes[0]!)}, ${describeReward(sensitiveProbe)}), so the task may be too hard for a tiny model. Choose easier examples with the environment's options, or give partial credit`,
  ];
}

function describeChange({ before, after, difference, steps }: Learning): string {
  const margin = (difference.high - difference.low) / 2;
  return `from ${formatEstimate(before, margin)} to ${formatEstimate(after, margin)} (99 % interval of the difference: ${formatInterval(difference)}) in ${steps} steps`;
}

function describeStagnation(learning: Learning): string {
  return learning.difference.high < 0
    ? `reward fell ${describeChange(learning)}`
    : `reward did not change: it went ${describeChange(learning)}, although rewards differ within groups`;
}

function describeEqualGroups({ zeroVariance, before, steps }: Learning): string {
  const groups =
    zeroVariance === 1 ? "every group" : `${formatPercent(zeroVariance)} of the groups`;
  return `${groups} had equal rewards, ${formatEstimate(before, 0)} on average, for ${steps} steps`;
}

/** Whether a reward is close to the first policy's, relative to the lowest probe's. */
function isNearlyBest([first, ...others]: readonly Probe[], reward: number): boolean {
  const best = first?.reward ?? null;
  if (best === null) return false;
  const worst = Math.min(...others.map((probe) => probe.reward ?? best));
  return best > worst && best - reward <= nearlyBest * (best - worst);
}

function describeReward({ name, reward }: Probe): string {
  return `${name} earns ${formatEstimate(reward ?? 0, 0)}`;
}

function formatList(names: readonly string[]): string {
  return new Intl.ListFormat("en").format(names);
}
