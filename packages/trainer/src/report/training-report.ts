import type { Message } from "@envs/core";

/** What the Markdown report of a run is made of: plain data. */
export interface TrainingReport {
  /** The name of the run. */
  readonly run: string;
  readonly environment: {
    readonly name: string;
    readonly config: Readonly<Record<string, unknown>>;
  };
  /** What was trained, in words: `tiny:base, 103,040 parameters`. */
  readonly model: string;
  readonly seed: number;
  /** By name: packages, Node, the machine. */
  readonly versions: Readonly<Record<string, string>>;
  /** The command line that does it again. */
  readonly command: string;
  readonly seconds: number;
  readonly phases: readonly ReportedPhase[];
  readonly evaluations: readonly EvaluationCell[];
  /** The overview first. */
  readonly curves: readonly { readonly title: string; readonly path: string }[];
  readonly rollouts: readonly KeptRollout[];
  /** What the reader must know before believing the rest. */
  readonly warnings: readonly string[];
}

/** A phase as it was run. */
export interface ReportedPhase {
  readonly name: string;
  readonly kind: "sft" | "rl";
  /** How many were taken; fewer than planned if the run was stopped. */
  readonly steps: number;
  readonly planned: number;
  readonly seconds: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** How the model of one stage did against one opponent at one temperature. */
export interface EvaluationCell {
  /** `base`, `after sft`, … */
  readonly stage: string;
  readonly opponent: string;
  readonly temperature: number;
  readonly games: number;
  /** Games by outcome: `win`, `draw`, `loss`, `invalid`. Their shares are shown with confidence intervals. */
  readonly counts: Readonly<Record<string, number>>;
  /** Means from 0 to 1 that are no count of games, such as `format`. */
  readonly means?: Readonly<Record<string, number>>;
  /** Exact shares, from a walk of the whole game tree. */
  readonly exact?: Readonly<Record<string, number>>;
  /** What the walk found besides: `no losing line of 139`. */
  readonly exactNote?: string;
}

/** A rollout that was kept to be read. */
export interface KeptRollout {
  readonly phase: string;
  readonly step: number;
  readonly reward: number;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly messages: readonly Message[];
}
