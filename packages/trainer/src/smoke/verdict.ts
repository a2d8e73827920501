import type { Learning, Probe, SmokeEvidence } from "./evidence.ts";
import { figure, percent, range } from "./figures.ts";
import { remarksOn } from "./remarks.ts";
import { tellingProbe } from "./telling.ts";

/** Whether an environment gives a signal that a model can learn from, and why one may say so. */
export interface Verdict {
  readonly answer: "learnable" | "not learnable" | "cannot tell";
  readonly reason: string;
  /** What else is worth knowing. */
  readonly remarks: readonly string[];
}

/** A smaller change counts as none, in standard deviations among rollouts of one example. */
export const leastEffect = 0.2;

/** From this share of equal groups on, there is nothing to learn from. */
const mostlyEqual = 0.9;

/** What is left of the way to the first policy when the model is as good as there. */
const nearly = 0.05;

type Judgement = readonly [answer: Verdict["answer"], reason: string];

/**
 * Judges the evidence. Learnable: the reward rose on examples that were held back, beyond chance; and by more than a trifle,
 * if bad replies earn as much as good ones. Not learnable: it did not, and they do. Else nobody can tell, and is told why.
 */
export function verdictOf(evidence: SmokeEvidence): Verdict {
  const [answer, reason] = judgeRewards(evidence) ?? judgeLearning(evidence);
  return { answer, reason, remarks: remarksOn(evidence) };
}

/** Rewards that are missing or all equal need no training to be judged. */
function judgeRewards({ failures, constant, probes }: SmokeEvidence): Judgement | undefined {
  const { failed, played, message = "no message" } = failures;
  if (failed > played / 2) {
    const some = `${percent(failed / played)} of the rollouts`;
    const all = failed === played ? "every rollout" : some;
    return ["not learnable", `${all} failed, and a failure has no reward. The first: ${message}`];
  }
  if (constant === undefined) return undefined;
  return [
    "not learnable",
    `every reward was ${figure(constant, 0)}, whatever was said: ${listed(probes.map(({ name }) => name))} earned the same`,
  ];
}

function judgeLearning(evidence: SmokeEvidence): Judgement {
  const { learning, obstacle, isRelative, probes } = evidence;
  if (learning === undefined) return ["cannot tell", obstacle ?? "nothing was learned"];
  const { before, difference, deviation, zeroVariance } = learning;
  const least = leastEffect * deviation;
  const telling = tellingProbe(probes);
  if (difference.low > 0 && (telling !== undefined || difference.mean >= least))
    return ["learnable", `reward rose ${course(learning)}`];
  if (obstacle !== undefined) return ["cannot tell", obstacle];

  const isEqual = zeroVariance >= mostlyEqual;
  if (!isEqual && difference.high >= least)
    return ["cannot tell", `reward went ${course(learning)}: chance alone may do that`];
  const fact = isEqual ? equalGroups(learning) : standstill(learning);
  if (isRelative)
    return [
      "cannot tell",
      `${fact}. But some scores compare the rollouts of a group with each other, and the mean of such scores may stand still while a model learns`,
    ];
  if (hasArrived(probes, before))
    return [
      "cannot tell",
      `${fact}. But there was hardly anything left to learn: the model earned as much as ${probes[0]!.name} before it began. Choose harder examples with the environment's options`,
    ];
  if (telling === undefined)
    return [
      "not learnable",
      `${fact}. Replies that belong elsewhere, and characters in disorder, earn as much as ${probes[0]?.name ?? "the first policy"}: is the reward related to what the model says?`,
    ];
  const { rise } = learning;
  if (!isEqual && rise !== undefined && rise.low > 0)
    return [
      "cannot tell",
      `${fact}. But it rose by ${range(rise)} on the examples that were learned from: the model learns them by heart. More examples may help, or easier ones`,
    ];
  return [
    "cannot tell",
    `${fact}. But the reward does tell replies apart (${earned(probes[0]!)}, ${earned(telling)}): this may be too hard for so small a model. Choose easier examples with the environment's options, or give credit for a part of the answer`,
  ];
}

function course({ before, after, difference, steps }: Learning): string {
  const margin = (difference.high - difference.low) / 2;
  return `from ${figure(before, margin)} to ${figure(after, margin)} (99 % interval of the difference: ${range(difference)}) in ${steps} steps`;
}

function standstill(learning: Learning): string {
  return learning.difference.high < 0
    ? `reward fell ${course(learning)}`
    : `reward did not move: it went ${course(learning)}, although groups differ`;
}

function equalGroups({ zeroVariance, before, steps }: Learning): string {
  const groups = zeroVariance === 1 ? "every group" : `${percent(zeroVariance)} of the groups`;
  return `${groups} had equal rewards, ${figure(before, 0)} on average, for ${steps} steps`;
}

/** Whether a reward is as good as the first policy's, seen from the worst reply's. */
function hasArrived([first, ...others]: readonly Probe[], reward: number): boolean {
  const best = first?.reward ?? null;
  if (best === null) return false;
  const worst = Math.min(...others.map((probe) => probe.reward ?? best));
  return best > worst && best - reward <= nearly * (best - worst);
}

function earned({ name, reward }: Probe): string {
  return `${name} earns ${figure(reward ?? 0, 0)}`;
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat("en").format(names);
}
