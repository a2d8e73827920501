import { ConfigError } from "@envs/core";
import { perfectCount } from "@envs/records";

import type { Estimate, Outcome } from "./outcome.ts";

/**
 * What a model must achieve. Each number is a minimum of the lower bound of a 95 % interval, not of a mean: a lucky run of few
 * examples does not pass.
 */
export interface Gate {
  /** Minimum for the share of trials that pass. */
  readonly passRate?: number | undefined;
  /** Minimum for the probability that at least one of `k` trials passes, by `k`. */
  readonly passAtK?: Readonly<Record<number, number>> | undefined;
  /** Minimum for the probability that all of `k` trials pass, by `k`. */
  readonly passHatK?: Readonly<Record<number, number>> | undefined;
  /** Minimum for the mean reward. */
  readonly reward?: number | undefined;
}

/** One condition of a gate, with what was measured. */
export interface Condition {
  readonly name: string;
  readonly minimum: number;
  readonly estimate: Estimate | undefined;
  readonly isMet: boolean;
  /** The measurement, and what to do if it is not enough. */
  readonly text: string;
}

/** Throws a `ConfigError` for a gate that cannot be measured with this number of trials. */
export function checkGate(gate: Gate, trials: number): void {
  const shares = [
    ["passRate", gate.passRate, 1] as const,
    ...ks(gate.passAtK).map(([k, low]) => [`passAtK[${k}]`, low, k] as const),
    ...ks(gate.passHatK).map(([k, low]) => [`passHatK[${k}]`, low, k] as const),
  ];
  const issues = shares.flatMap(([name, low, k]) => {
    const path = ["gate", name];
    if (!Number.isInteger(k) || k < 1)
      return [{ path, message: "The key must be a whole number of at least 1" }];
    if (k > trials)
      return [{ path, message: `It needs ${k} trials of each example, and trials is ${trials}` }];
    if (low !== undefined && !(low >= 0 && low < 1))
      return [
        {
          path,
          message: `It is ${low}. Set at least 0 and less than 1, which no number of trials can prove`,
        },
      ];
    return [];
  });
  if (issues.length > 0) throw new ConfigError("The gate is not valid:", issues);
}

/** Measures each condition of a gate. */
export function conditionsOf(gate: Gate, outcome: Outcome): readonly Condition[] {
  return [
    ...(gate.passRate === undefined ? [] : [share("pass rate", gate.passRate, outcome.passRate)]),
    ...ks(gate.passAtK).map(([k, low]) => share(`pass@${k}`, low, outcome.passAtK(k))),
    ...ks(gate.passHatK).map(([k, low]) => share(`pass^${k}`, low, outcome.passHatK(k))),
    ...(gate.reward === undefined ? [] : [rewardCondition(gate.reward, outcome.reward)]),
  ];
}

/** A share with its interval, as text. */
function estimateText({ mean, low, high, examples }: Estimate): string {
  return `${mean.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}] on ${examples} ${examples === 1 ? "example" : "examples"}`;
}

/** The condition that a share between 0 and 1 has at least this lower bound. */
export function share(name: string, minimum: number, estimate: Estimate): Condition {
  const isMet = estimate.low >= minimum;
  const enough = perfectCount(minimum);
  const advice =
    !isMet && estimate.examples < enough
      ? ` Even if all trials passed, ${enough} examples are needed for ${minimum}.`
      : "";
  return {
    name,
    minimum,
    estimate,
    isMet,
    text: `${name} ${estimateText(estimate)}: the lower bound is ${isMet ? "at least" : "below"} ${minimum}.${advice}`,
  };
}

/** The condition that the mean reward has at least this lower bound. */
export function rewardCondition(minimum: number, estimate: Estimate | undefined): Condition {
  const name = "mean reward";
  if (estimate === undefined) {
    const text = `The mean reward of fewer than two examples has no interval. Play at least two examples.`;
    return { name, minimum, estimate, isMet: false, text };
  }
  const isMet = estimate.low >= minimum;
  const text = `${name} ${estimateText(estimate)}: the lower bound is ${isMet ? "at least" : "below"} ${minimum}.`;
  return { name, minimum, estimate, isMet, text };
}

function ks(
  minimums: Readonly<Record<number, number>> | undefined,
): readonly (readonly [number, number])[] {
  return Object.entries(minimums ?? {}).map(([k, low]) => [Number(k), low]);
}
