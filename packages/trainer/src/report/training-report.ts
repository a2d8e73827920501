import type { Message } from "@envs/core";
import * as z from "zod";

/** The data of a run's Markdown report. */
export interface TrainingReport {
  /** The name of the run. */
  readonly run: string;
  /** The name of the environment. */
  readonly environment: string;
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
  readonly tokens?: TokenCounts | undefined;
  /** The price of `tokens`, in the currency of the price list. */
  readonly cost?: number | undefined;
  readonly evaluations: readonly EvaluationCell[];
  /** The overview comes first. */
  readonly curves: readonly { readonly title: string; readonly path: string }[];
  readonly rollouts: readonly SampleRollout[];
  /** Problems of the run that readers must know. */
  readonly warnings: readonly string[];
}

/** Tokens that a model processed. */
export interface TokenCounts {
  /** Tokens read without a gradient: the prompts of samples, and recomputed log-probabilities. */
  readonly prompt: number;
  readonly sampled: number;
  /** Tokens of sequences with gradients, prompts included. */
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
  readonly tokens?: TokenCounts | undefined;
}

export const evaluationCell = z.object({
  /** `base`, `after sft`, … */
  stage: z.string(),
  opponent: z.string(),
  temperature: z.number(),
  /** The number of games; 0 if the results are only exact. */
  games: z.number(),
  /** Games by outcome: `win`, `draw`, `loss`, `invalid`. The report shows their shares with confidence intervals. */
  counts: z.record(z.string(), z.number()),
  /** Means from 0 to 1 that are not counts of games, such as `format`. */
  means: z.record(z.string(), z.number()).optional(),
  /** Exact shares, computed from the whole game tree. */
  exact: z.record(z.string(), z.number()).optional(),
  /** Another exact result: `no losing line of 139`. */
  exactNote: z.string().optional(),
});

/** The results of one stage's model against one opponent at one temperature. */
export type EvaluationCell = z.output<typeof evaluationCell>;

/** A saved rollout, shown as an example. */
export interface SampleRollout {
  readonly phase: string;
  readonly step: number;
  readonly reward: number;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly messages: readonly Message[];
}
