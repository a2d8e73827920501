import { isConfigError } from "@envs/core/engine";

import type { TrainingPlan } from "../train/plan.ts";
import { checkTemperature } from "./service-data.ts";
import { serviceLoss } from "./service-loss.ts";

/** The settings of a plan that no service with Tinker's API can honour, each with its phase and the remedy. */
export function planProblems({ phases }: TrainingPlan): readonly string[] {
  return Object.entries(phases).flatMap(([name, phase]) => {
    if (phase.kind === "sft") return [];
    const checks = [() => serviceLoss(phase.loss), () => checkTemperature(phase.temperature)];
    return checks.flatMap((check) => problemsOf(check).map((problem) => `${name}: ${problem}`));
  });
}

/** The service's losses that a plan needs. */
export function neededLosses({ phases }: TrainingPlan): readonly string[] {
  const names = Object.values(phases).map((phase) =>
    phase.kind === "sft" ? "cross_entropy" : serviceLoss(phase.loss).loss_fn,
  );
  return [...new Set(names)];
}

function problemsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!isConfigError(error)) throw error;
    return error.issues.length === 0 ? [error.message] : error.issues.map(({ message }) => message);
  }
}
