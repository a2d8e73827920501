import type { Message } from "@envs/core";

/** The data of a run's Markdown report. */
export interface TrainingReport {
  /** The name of the run. */
  readonly run: string;
  readonly environment: {
    readonly name: string;
    readonly config: Readonly<Record<string, unknown>>;
  };
  /** A description of the initial model: `tiny:base, 103,040 parameters`. */
  readonly model: string;
  readonly seed: number;
  /** Versions of packages and of Node, and a description of the machine, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** The command line that reproduces the run. */
  readonly command: string;
  readonly seconds: number;
  readonly phases: readonly ReportedPhase[];
  /** All tokens of the run, including evaluations, up to the last checkpoint. */
  readonly tokens?: ReportedTokens | undefined;
  /** The price of `tokens`, in the currency of the price list. */
  readonly cost?: number | undefined;
  readonly evaluations: readonly EvaluationCell[];
  /** The overview comes first. */
  readonly curves: readonly { readonly title: string; readonly path: string }[];
  readonly rollouts: readonly SampleRollout[];
  /** Problems of the run that readers must know. */
  readonly warnings: readonly string[];
}

/** Tokens that were read without a gradient, sampled, and trained on. */
export interface ReportedTokens {
  readonly prompt: number;
  readonly sampled: number;
  readonly trained: number;
}

/** The part of a phase that was run. */
export interface ReportedPhase {
  readonly name: string;
  readonly kind: "sft" | "rl";
  /** Completed steps: fewer than `planned` if the run was stopped. */
  readonly steps: number;
  readonly planned: number;
  readonly seconds: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The tokens, without those of evaluations. */
  readonly tokens?: ReportedTokens | undefined;
}

/** The results of one stage's model against one opponent at one temperature. */
export interface EvaluationCell {
  /** `base`, `after sft`, … */
  readonly stage: string;
  readonly opponent: string;
  readonly temperature: number;
  /** The number of games; 0 if the results are only exact. */
  readonly games: number;
  /** Games by outcome: `win`, `draw`, `loss`, `invalid`. The report shows their shares with confidence intervals. */
  readonly counts: Readonly<Record<string, number>>;
  /** Means from 0 to 1 that are not counts of games, such as `format`. */
  readonly means?: Readonly<Record<string, number>> | undefined;
  /** Exact shares, computed from the whole game tree. */
  readonly exact?: Readonly<Record<string, number>> | undefined;
  /** Another exact result: `no losing line of 139`. */
  readonly exactNote?: string | undefined;
}

/** A saved rollout, shown as an example. */
export interface SampleRollout {
  readonly phase: string;
  readonly step: number;
  readonly reward: number;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly messages: readonly Message[];
}
