import { availableParallelism } from "node:os";

import { ConfigError } from "@envs/core";
import type { TrainingPlan } from "@envs/trainer";

/** What a command line may change of a plan. */
export interface PlanOverrides {
  readonly seed?: number | undefined;
  readonly threads?: number | undefined;
  /** Only these phases, in the plan's order. */
  readonly phases?: readonly string[] | undefined;
  /** The model to start from. */
  readonly from?: string | undefined;
}

/** A plan with a person's choices. */
export function choose(
  plan: TrainingPlan,
  { seed, threads, phases, from }: PlanOverrides,
): TrainingPlan {
  const unknown = phases?.find((name) => !Object.hasOwn(plan.phases, name));
  if (unknown !== undefined)
    throw new ConfigError(
      `The recipe has no phase ${JSON.stringify(unknown)}. It has: ${Object.keys(plan.phases).join(", ")}.`,
    );
  const chosen = Object.entries(plan.phases).filter(([name]) => phases?.includes(name) ?? true);
  return {
    ...plan,
    seed: seed ?? plan.seed,
    threads: threads ?? plan.threads,
    phases: Object.fromEntries(chosen),
    ...(from === undefined ? {} : { model: { from } }),
  };
}

/** A word of warning if there are more threads than processors. */
export function threadWarning({ threads }: TrainingPlan): string | undefined {
  const processors = availableParallelism();
  if (threads <= processors) return undefined;
  return `The recipe wants ${threads} threads, and this machine has ${processors} processors: it will be slow. Another number of threads (--threads) rounds differently, so that the same seed gives another model.`;
}
