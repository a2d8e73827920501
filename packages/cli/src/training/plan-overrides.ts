import { availableParallelism } from "node:os";

import { ConfigError } from "@envs/core";
import type { TrainingPlan } from "@envs/trainer";

/** The parts of a plan that the command line can override. */
export interface PlanOverrides {
  readonly seed?: number | undefined;
  readonly threads?: number | undefined;
  /** Run only these phases, in the plan's order. */
  readonly phases?: readonly string[] | undefined;
  /** The model to start from. */
  readonly from?: string | undefined;
}

/** Overrides parts of a plan. Throws a `ConfigError` for an unknown phase. */
export function overridePlan(
  plan: TrainingPlan,
  { seed, threads, phases, from }: PlanOverrides,
): TrainingPlan {
  const unknown = phases?.find((name) => !Object.hasOwn(plan.phases, name));
  if (unknown !== undefined)
    throw new ConfigError(
      `The recipe has no phase ${JSON.stringify(unknown)}. Phases: ${Object.keys(plan.phases).join(", ")}.`,
    );
  const selected = Object.entries(plan.phases).filter(([name]) => phases?.includes(name) ?? true);
  return {
    ...plan,
    seed: seed ?? plan.seed,
    threads: threads ?? plan.threads,
    phases: Object.fromEntries(selected),
    ...(from === undefined ? {} : { model: { from } }),
  };
}

/** Returns a warning if the plan has more threads than the machine has processors. */
export function threadWarning({ threads }: TrainingPlan): string | undefined {
  const processors = availableParallelism();
  if (threads <= processors) return undefined;
  return `The recipe uses ${threads} threads, but this machine has ${processors} processors, so training will be slow. With another number of threads (--threads), rounding differs and the same seed gives a different model.`;
}
