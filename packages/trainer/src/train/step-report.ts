import type { Rollout } from "@envs/core";

import type { EntropyState } from "../algorithms/entropy-control.ts";

/** The measurements of one training step. */
export interface StepReport {
  /** By the names of the curves: `reward`, `score/<name>`, `entropy`, … */
  readonly values: Readonly<Record<string, number | null>>;
  /** Number of targets with NaN or infinite numbers. */
  readonly nonFinite: number;
  readonly rollouts: readonly Rollout[];
  /** Number of trained tokens, prompts included. */
  readonly tokens: number;
  /** In RL: the state of entropy control for the next step. */
  readonly entropy?: EntropyState | undefined;
}
