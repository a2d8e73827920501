import { ConfigError, type RetryOptions } from "@envs/core";
import { defaultExamples, defaultRolloutsPerExample } from "@envs/core/engine";
import { parseSelection } from "@envs/viewer";

import type { PlannedRun } from "../config-file.ts";
import { modelSyntax } from "../models/load-model.ts";
import { type PromptsFile, readPromptsFile } from "../optimization/prompts-file.ts";
import { integerOption, numberOption } from "../terminal/arguments.ts";
import { type OptionValues, textOptions } from "../text/text-option.ts";
import type { evaluationArguments } from "./evaluation-arguments.ts";
import { type PlayPlan, playPlan } from "./play-plan.ts";
import { retryOption } from "./retry-option.ts";

/** A complete plan of an evaluation. `metadata.json` stores it, so that a run can be resumed from its folder alone. */
export interface EvaluationPlan extends PlayPlan {
  /** The prompts that replace the environment's. */
  readonly prompts?: PromptsFile | undefined;
  readonly examples: number;
  readonly rolloutsPerExample: number;
  readonly split?: string | undefined;
  /** See `parseSelection`. */
  readonly select?: string | undefined;
  readonly shuffle: boolean;
  /** Whether the models change seats. Absent if they do not. */
  readonly rotateSeats?: boolean | undefined;
  readonly maxTotalTokens?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  readonly tokens: boolean;
  /** Default: the environment's. */
  readonly passThreshold?: number | undefined;
  /** The id of the declaration of this run on a hub. */
  readonly declaration?: string | undefined;
  /** The id of the run on a hub that this one repeats. */
  readonly reproduces?: string | undefined;
  /** The suite that this run belongs to, such as `@you/games@1.0.0`. */
  readonly suite?: string | undefined;
}

/** The arguments of a command line. */
export type ParsedArguments = OptionValues<keyof typeof evaluationArguments>;

/** Creates a plan from the command line. */
export function planFromArguments(
  args: ParsedArguments,
  config: Readonly<Record<string, unknown>>,
): EvaluationPlan {
  const text = textOptions(args);
  const select = text("select");
  const selected = select === undefined ? undefined : parseSelection(select).size;
  const { environment, model } = args;
  if (typeof environment !== "string")
    throw new ConfigError("Missing environment. Example: envs eval tictactoe -m policy:optimal");
  if (typeof model !== "string")
    throw new ConfigError(`Missing model. Pass -m with ${modelSyntax}.`);
  return {
    environment,
    model,
    config,
    ...playPlan(args),
    ...(typeof args.prompts === "string" && { prompts: readPromptsFile(args.prompts) }),
    examples:
      text("examples") === "all"
        ? Infinity
        : (integerOption("examples", text("examples")) ?? selected ?? defaultExamples),
    rolloutsPerExample: integerOption("rollouts", text("rollouts")) ?? defaultRolloutsPerExample,
    split: text("split"),
    select,
    shuffle: args.shuffle === true,
    ...(args["rotate-seats"] === true && { rotateSeats: true }),
    maxTotalTokens: integerOption("max-total-tokens", text("max-total-tokens")),
    retry: retryOption(text("retry")),
    tokens: args.tokens === true,
    passThreshold: numberOption("pass-threshold", text("pass-threshold")),
  };
}

/** Creates a plan from an entry of the config file. */
export function planFromFile(run: PlannedRun): EvaluationPlan {
  const { temperature, topP, maxTokens, stop } = run.sampling ?? {};
  const selected = run.select === undefined ? undefined : parseSelection(run.select).size;
  return {
    environment: run.environment,
    model: run.model,
    config: run.config ?? {},
    sampling: {
      temperature,
      topP,
      maxTokens,
      stop,
    },
    examples: run.examples ?? selected ?? defaultExamples,
    rolloutsPerExample: run.rolloutsPerExample ?? defaultRolloutsPerExample,
    concurrency: run.concurrency ?? 32,
    seed: run.seed ?? 0,
    split: run.split,
    select: run.select,
    shuffle: run.shuffle ?? false,
    maxTurns: run.maxTurns,
    retry: run.retry,
    judge: run.judge,
    subModel: run.subModel,
    tokens: false,
  };
}
