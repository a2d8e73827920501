import { ConfigError } from "@envs/core";

import type { TrainingPlan } from "./plan.ts";
import type { StepReport } from "./step-report.ts";

type Values = StepReport["values"];

interface Sign {
  readonly name: string;
  readonly isBad: (values: Values) => boolean;
  readonly message: (values: Values) => string;
}

/**
 * Watches a phase for the ways in which training goes wrong. What cannot be mended (numbers that are not finite, a loss
 * beyond all bounds) stops it at once; what may pass (no entropy left, everything cut short) after a while.
 */
export function watch(
  { guards }: Pick<TrainingPlan, "guards">,
  kind: "sft" | "rl",
): (step: number, report: StepReport) => void {
  const signs = kind === "rl" ? signsOf(guards) : [];
  const lasting = new Map<string, number>();
  return (step, { values, nonFinite }) => {
    const { loss, gradientNorm } = values;
    if (nonFinite > 0 || isBroken(loss) || isBroken(gradientNorm))
      throw new ConfigError(
        `Step ${step} has numbers that are not finite. The weights grew beyond bounds: lower optimizer.learningRate, or set optimizer.clipNorm.`,
      );
    if (Math.abs(loss ?? 0) > guards.maxLoss)
      throw new ConfigError(
        `The loss of step ${step} is ${loss!.toFixed(1)}, more than guards.maxLoss = ${guards.maxLoss}: it explodes. Lower optimizer.learningRate, or lengthen schedule.warmup.`,
      );
    for (const { name, isBad, message } of signs) {
      const times = isBad(values) ? (lasting.get(name) ?? 0) + 1 : 0;
      lasting.set(name, times);
      if (times < guards.patience) continue;
      throw new ConfigError(`For ${times} steps, up to step ${step}, ${message(values)}`);
    }
  };
}

function signsOf({ minEntropy, maxTruncated }: TrainingPlan["guards"]): Sign[] {
  return [
    {
      name: "entropy",
      isBad: ({ entropy }) => typeof entropy === "number" && entropy < minEntropy,
      message: () =>
        `the entropy has been below guards.minEntropy = ${minEntropy}: the model is sure of everything and explores nothing more. Raise loss.entropyCoefficient or temperature, or lower the learning rate.`,
    },
    {
      name: "truncated",
      isBad: ({ truncated }) => typeof truncated === "number" && truncated > maxTruncated,
      message: ({ truncated }) =>
        `${(100 * truncated!).toFixed(0)} % of the rollouts ran into a limit: the model does not come to an end. Raise maxTokens or maxTurns, or go back to a checkpoint before it and lower the learning rate.`,
    },
    {
      name: "variance",
      isBad: ({ zeroVariance }) => zeroVariance === 1,
      message: ({ reward }) =>
        `the rollouts of each group had the same reward (${reward?.toFixed(3)} on average), so there was nothing to learn from. Is the environment too easy or too hard for this model, or its reward constant? More rollouts per group and a longer sft phase help in the second case.`,
    },
  ];
}

function isBroken(value: number | null | undefined): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
