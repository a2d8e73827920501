import type { Rollout } from "@envs/core";

/** What was measured in one step. */
export interface StepReport {
  /** By name, as the curves of a run are named: `reward`, `score/<name>`, `entropy`, … */
  readonly values: Readonly<Record<string, number | null>>;
  /** Targets whose numbers were not finite. */
  readonly nonFinite: number;
  readonly rollouts: readonly Rollout[];
  /** Tokens that went through the model to learn. */
  readonly tokens: number;
}
