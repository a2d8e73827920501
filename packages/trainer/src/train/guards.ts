import { ConfigError } from "@envs/core";

import type { TrainingPlan } from "./plan.ts";
import type { StepReport } from "./step-report.ts";

type Values = StepReport["values"];

interface Guard {
  readonly name: string;
  readonly isViolated: (values: Values) => boolean;
  readonly message: (values: Values) => string;
}

/**
 * Returns a check to call after each step of a phase. It throws a `ConfigError` at once for numbers that are not finite and
 * for an exploding loss, and after `guards.patience` steps for problems that can pass: no entropy, truncated rollouts,
 * groups without variance.
 */
export function createGuards(
  { guards: settings }: Pick<TrainingPlan, "guards">,
  kind: "sft" | "rl",
): (step: number, report: StepReport) => void {
  const guards = kind === "rl" ? rlGuards(settings) : [];
  const consecutiveSteps = new Map<string, number>();
  return (step, { values, nonFinite }) => {
    const { loss, gradientNorm } = values;
    if (nonFinite > 0 || isNonFinite(loss) || isNonFinite(gradientNorm))
      throw new ConfigError(
        `Step ${step} has numbers that are not finite. Lower optimizer.learningRate, or set optimizer.clipNorm.`,
      );
    if (Math.abs(loss ?? 0) > settings.maxLoss)
      throw new ConfigError(
        `The loss of step ${step} is ${loss!.toFixed(1)}, more than guards.maxLoss = ${settings.maxLoss}. Lower optimizer.learningRate, or raise schedule.warmup.`,
      );
    for (const { name, isViolated, message } of guards) {
      const count = isViolated(values) ? (consecutiveSteps.get(name) ?? 0) + 1 : 0;
      consecutiveSteps.set(name, count);
      if (count < settings.patience) continue;
      throw new ConfigError(`For ${count} steps, up to step ${step}, ${message(values)}`);
    }
  };
}

function rlGuards({ minEntropy, maxTruncated }: TrainingPlan["guards"]): Guard[] {
  return [
    {
      name: "entropy",
      isViolated: ({ entropy }) => typeof entropy === "number" && entropy < minEntropy,
      message: () =>
        `the entropy has been below guards.minEntropy = ${minEntropy}, so the model no longer explores. Raise loss.entropyCoefficient or temperature, or lower the learning rate.`,
    },
    {
      name: "truncated",
      isViolated: ({ truncated }) => typeof truncated === "number" && truncated > maxTruncated,
      message: ({ truncated }) =>
        `${(100 * truncated!).toFixed(0)} % of the rollouts were truncated. Raise maxTokens or maxTurns, or resume from an earlier checkpoint with a lower learning rate.`,
    },
    {
      name: "variance",
      isViolated: ({ zeroVariance }) => zeroVariance === 1,
      message: ({ reward }) =>
        `all rollouts of each group had the same reward (${reward?.toFixed(3)} on average), so training had no gradient. Check that the reward is not constant and that the environment is neither too easy nor too hard for the model. If it is too hard, use more rollouts per group or a longer sft phase.`,
    },
  ];
}

function isNonFinite(value: number | null | undefined): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
