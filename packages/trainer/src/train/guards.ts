import { ConfigError } from "@envs/core";

import type { TrainingPlan } from "./plan.ts";
import type { StepReport } from "./step-report.ts";

type Values = StepReport["values"];

interface Guard {
  readonly name: string;
  readonly isViolated: (values: Values, start: PhaseStart) => boolean;
  readonly message: (values: Values, start: PhaseStart) => string;
}

/** The means over the first steps of a phase, with which its later steps are compared. */
interface PhaseStart {
  /** Nats per token; null until known, or if the backend does not report entropies. */
  readonly entropy: number | null;
  readonly reward: number | null;
  /** The standard deviation of rewards within a group. */
  readonly deviation: number | null;
}

/** Number of steps that {@link PhaseStart} averages. */
const startSteps = 5;

/**
 * Returns a check to call after each step of a phase. It throws a `ConfigError` at once for numbers that are not finite and
 * for an exploding loss, and after `guards.patience` steps for problems that can pass: no entropy, rising entropy, a reward
 * below that of the first steps, truncated rollouts, groups without variance.
 */
export function createGuards(
  { guards: settings }: Pick<TrainingPlan, "guards">,
  kind: "sft" | "rl",
): (step: number, report: StepReport) => void {
  const guards = kind === "rl" ? rlGuards(settings) : [];
  const consecutiveSteps = new Map<string, number>();
  const first: Values[] = [];
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
    if (first.length < startSteps) first.push(values);
    const start = phaseStart(first);
    for (const { name, isViolated, message } of guards) {
      const count = isViolated(values, start) ? (consecutiveSteps.get(name) ?? 0) + 1 : 0;
      consecutiveSteps.set(name, count);
      if (count < settings.patience) continue;
      throw new ConfigError(`For ${count} steps, up to step ${step}, ${message(values, start)}`);
    }
  };
}

/** Undefined before the phase has had enough steps to average. */
function phaseStart(first: readonly Values[]): PhaseStart {
  const mean = (name: string): number | null => {
    const values = first.flatMap(({ [name]: value }) => (typeof value === "number" ? value : []));
    if (values.length < startSteps) return null;
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return { entropy: mean("entropy"), reward: mean("reward"), deviation: mean("rewardDeviation") };
}

function rlGuards(settings: TrainingPlan["guards"]): Guard[] {
  const { minEntropy, maxEntropyRise, maxRewardFall, maxTruncated } = settings;
  const hasRisen = ({ entropy }: Values, start: PhaseStart, rise: number): boolean =>
    typeof entropy === "number" && start.entropy !== null && entropy > start.entropy + rise;
  return [
    {
      name: "entropy",
      isViolated: ({ entropy }) => typeof entropy === "number" && entropy < minEntropy,
      message: () =>
        `the entropy has been below guards.minEntropy = ${minEntropy}, so the model no longer explores. Set loss.entropyTarget, raise temperature, or lower the learning rate.`,
    },
    {
      name: "rising entropy",
      isViolated: (values, start) => hasRisen(values, start, maxEntropyRise),
      message: ({ entropy }, start) =>
        `the entropy (${entropy!.toFixed(2)} nats per token) has been more than guards.maxEntropyRise = ${maxEntropyRise} above that of the first steps (${start.entropy!.toFixed(2)}), so the replies become random. ${calmAdvice}`,
    },
    {
      name: "reward",
      isViolated: ({ reward }, start) =>
        typeof reward === "number" &&
        start.reward !== null &&
        start.deviation !== null &&
        start.reward - reward > maxRewardFall * start.deviation,
      message: ({ reward }, start) =>
        `the reward (${reward!.toFixed(3)}) has been below that of the first steps (${start.reward!.toFixed(3)}) by more than guards.maxRewardFall = ${maxRewardFall} standard deviations within a group (${start.deviation!.toFixed(3)}), so the model becomes worse. ${calmAdvice}`,
    },
    {
      name: "truncated",
      isViolated: ({ truncated }) => typeof truncated === "number" && truncated > maxTruncated,
      message: (values, start) => {
        const share = `${(100 * values["truncated"]!).toFixed(0)} % of the rollouts were truncated`;
        return hasRisen(values, start, maxEntropyRise / 2)
          ? `${share}, since the entropy rose from ${start.entropy!.toFixed(2)} to ${values["entropy"]!.toFixed(2)} nats per token and replies no longer end. ${calmAdvice}`
          : `${share}. Raise maxTokens or maxTurns, or resume from an earlier checkpoint with a lower learning rate.`;
      },
    },
    {
      name: "variance",
      isViolated: ({ zeroVariance }) => zeroVariance === 1,
      message: ({ reward }) =>
        `all rollouts of each group had the same reward (${reward?.toFixed(3)} on average), so training had no gradient. Check that the reward is not constant and that the environment is neither too easy nor too hard for the model. If it is too hard, use more rollouts per group or a longer sft phase.`,
    },
  ];
}

/** The advice for a policy that becomes random. */
const calmAdvice =
  "Set loss.entropyTarget instead of a constant loss.entropyCoefficient, lower optimizer.learningRate, and continue from an earlier checkpoint with --from. If loss.entropyTarget is set, run a longer sft phase.";

function isNonFinite(value: number | null | undefined): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
