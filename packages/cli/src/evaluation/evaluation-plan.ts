import { ConfigError, type Sampling } from "@envs/core";
import { defaultExamples, defaultRolloutsPerExample } from "@envs/core/engine";
import { integerOption, numberOption } from "@envs/terminal";
import type { ArgsDef } from "citty";

import type { PlannedRun } from "../config-file.ts";
import { modelForms } from "../models/load-model.ts";

/** What to evaluate, complete: also what `metadata.json` keeps, so that a run can go on from its folder alone. */
export interface EvaluationPlan {
  /** A package or a path. */
  readonly environment: string;
  readonly model: string;
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sampling: Sampling;
  readonly examples: number;
  readonly rolloutsPerExample: number;
  readonly concurrency: number;
  readonly seed: number;
  readonly split?: string | undefined;
  readonly shuffle: boolean;
  readonly maxTurns?: number | undefined;
  readonly maxTotalTokens?: number | undefined;
  /** In milliseconds, as all times of a plan. */
  readonly turnTimeout?: number | undefined;
  readonly rolloutTimeout?: number | undefined;
  readonly tokens: boolean;
  readonly passThreshold: number;
}

/** The options of `envs eval`, without those of the environment's config. */
export const evaluationArguments = {
  environment: {
    type: "positional",
    required: false,
    description: "A package (tictactoe, @you/your-environment) or a path (./my-environment)",
  },
  model: { type: "string", alias: "m", description: `Who answers: ${modelForms}` },
  examples: {
    type: "string",
    alias: "n",
    description: `How many examples (default ${defaultExamples}; all for every one)`,
    valueHint: "count",
  },
  rollouts: {
    type: "string",
    alias: "r",
    description: `Rollouts of each example (default ${defaultRolloutsPerExample})`,
    valueHint: "count",
  },
  concurrency: {
    type: "string",
    alias: "c",
    description: "Rollouts at once (default 32)",
    valueHint: "count",
  },
  seed: {
    type: "string",
    description: "Decides examples and all randomness of the environment (default 0)",
    valueHint: "number",
  },
  split: {
    type: "string",
    description: "Which part of the dataset (default eval, else the first)",
  },
  shuffle: { type: "boolean", description: "Take the examples in an order shuffled by the seed" },
  temperature: {
    type: "string",
    alias: "t",
    description: "Sampling temperature",
    valueHint: "number",
  },
  "top-p": {
    type: "string",
    description: "Nucleus sampling: the share of probability to draw from",
    valueHint: "number",
  },
  "max-tokens": {
    type: "string",
    description: "Longest reply of one turn, in tokens",
    valueHint: "count",
  },
  "max-total-tokens": {
    type: "string",
    description: "Longest rollout, in tokens of the model",
    valueHint: "count",
  },
  "limit-turns": {
    type: "string",
    description: "Fewer turns than the environment allows",
    valueHint: "count",
  },
  "turn-timeout": {
    type: "string",
    description: "Longest turn of the model",
    valueHint: "seconds",
  },
  "rollout-timeout": { type: "string", description: "Longest rollout", valueHint: "seconds" },
  tokens: {
    type: "boolean",
    description: "Record token ids and log-probabilities, from servers that give them (vLLM)",
  },
  "pass-threshold": {
    type: "string",
    description: "Least reward of a pass, for pass@k (default 0.5)",
    valueHint: "number",
  },
  "base-url": {
    type: "string",
    description: "The model's server, up to and including /v1",
    valueHint: "url",
  },
  "api-key-var": {
    type: "string",
    description: "The variable that holds its key (default OPENAI_API_KEY)",
    valueHint: "name",
  },
  config: {
    type: "string",
    description: "The environment's config as JSON; single flags win",
    valueHint: "json",
  },
  "config-file": {
    type: "string",
    description: "Endpoints and plans (default ./envs.config.ts)",
    valueHint: "file",
  },
  plan: {
    type: "string",
    description: "Run the evaluations of a plan in the config file",
    valueHint: "name",
  },
  save: {
    type: "string",
    description: "Folder to save runs below",
    default: "outputs",
    valueHint: "folder",
  },
  resume: {
    type: "string",
    description: "Go on with a run: its folder, or latest",
    valueHint: "run",
  },
  json: { type: "boolean", description: "Print one JSON object instead of tables" },
  quiet: { type: "boolean", alias: "q", description: "Show no progress" },
} as const satisfies ArgsDef;

type Given = Readonly<
  Partial<Record<keyof typeof evaluationArguments, string | boolean | undefined>>
>;

/** Makes a plan from a command line. */
export function planFromArguments(
  args: Given,
  config: Readonly<Record<string, unknown>>,
): EvaluationPlan {
  const text = (name: keyof typeof evaluationArguments): string | undefined => {
    const value = args[name];
    return typeof value === "string" ? value : undefined;
  };
  const share = (value: number): string | undefined =>
    value >= 0 && value <= 1 ? undefined : "a number from 0 to 1";
  const positive = (value: number): string | undefined => (value > 0 ? undefined : "above 0");
  const milliseconds = (name: "turn-timeout" | "rollout-timeout"): number | undefined => {
    const seconds = numberOption(name, text(name), positive);
    return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
  };
  const temperature = numberOption("temperature", text("temperature"), (value) =>
    value >= 0 ? undefined : "at least 0",
  );
  const topP = numberOption("top-p", text("top-p"), share);
  const maxTokens = integerOption("max-tokens", text("max-tokens"));
  const { environment, model } = args;
  if (typeof environment !== "string")
    throw new ConfigError(
      "Name an environment, for instance: envs eval tictactoe -m policy:optimal",
    );
  if (typeof model !== "string") throw new ConfigError(`Name a model with -m: ${modelForms}.`);
  return {
    environment,
    model,
    baseURL: text("base-url"),
    apiKeyVariable: text("api-key-var"),
    config,
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
    examples:
      text("examples") === "all"
        ? Infinity
        : (integerOption("examples", text("examples")) ?? defaultExamples),
    rolloutsPerExample: integerOption("rollouts", text("rollouts")) ?? defaultRolloutsPerExample,
    concurrency: integerOption("concurrency", text("concurrency")) ?? 32,
    seed: integerOption("seed", text("seed"), Number.MIN_SAFE_INTEGER) ?? 0,
    split: text("split"),
    shuffle: args.shuffle === true,
    maxTurns: integerOption("limit-turns", text("limit-turns")),
    maxTotalTokens: integerOption("max-total-tokens", text("max-total-tokens")),
    turnTimeout: milliseconds("turn-timeout"),
    rolloutTimeout: milliseconds("rollout-timeout"),
    tokens: args.tokens === true,
    passThreshold: numberOption("pass-threshold", text("pass-threshold")) ?? 0.5,
  };
}

/** Makes a plan from an entry of the config file. */
export function planFromFile(run: PlannedRun): EvaluationPlan {
  const { temperature, topP, maxTokens, stop } = run.sampling ?? {};
  return {
    environment: run.environment,
    model: run.model,
    config: run.config ?? {},
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(stop === undefined ? {} : { stop }),
    },
    examples: run.examples ?? defaultExamples,
    rolloutsPerExample: run.rolloutsPerExample ?? defaultRolloutsPerExample,
    concurrency: run.concurrency ?? 32,
    seed: run.seed ?? 0,
    split: run.split,
    shuffle: run.shuffle ?? false,
    maxTurns: run.maxTurns,
    tokens: false,
    passThreshold: 0.5,
  };
}
