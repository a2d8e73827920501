import {
  defaultExamples,
  defaultRetryTimes,
  defaultRolloutsPerExample,
  retryableCodes,
} from "@envs/core/engine";
import type { ArgsDef } from "citty";

import { judgeArguments } from "../models/load-judge.ts";
import { modelSyntax } from "../models/load-model.ts";
import { subModelArguments } from "../models/sub-model.ts";
import { queueOptions } from "./queue-options.ts";

/** The options of `envs eval`, without the environment's config options. */
export const evaluationArguments = {
  environment: {
    type: "positional",
    required: false,
    description: "A package (tictactoe, @you/your-environment) or a path (./my-environment)",
  },
  model: {
    type: "string",
    alias: "m",
    description: `The model to run: ${modelSyntax}. In an environment with seats, also <seat>=<model>, once for each seat`,
  },
  "rotate-seats": {
    type: "boolean",
    description: "Let the models change seats from rollout to rollout of an example",
  },
  examples: {
    type: "string",
    alias: "n",
    description: `Number of examples, or all, at most 100,000 (default ${defaultExamples}, or those that --select lists)`,
    valueHint: "count",
  },
  rollouts: {
    type: "string",
    alias: "r",
    description: `Rollouts per example (default ${defaultRolloutsPerExample})`,
    valueHint: "count",
  },
  concurrency: {
    type: "string",
    alias: "c",
    description: "Maximum number of concurrent rollouts (default 32)",
    valueHint: "count",
  },
  ...queueOptions,
  seed: {
    type: "string",
    description: "Seed of the dataset and of the environment's randomness (default 0)",
    valueHint: "number",
  },
  split: {
    type: "string",
    description: "Dataset split (default eval, else the first)",
  },
  select: {
    type: "string",
    description:
      "Only these examples: indices, ranges and keys (3,10-20,key=abc), or a filter ('example.level >= 3')",
    valueHint: "examples",
  },
  shuffle: { type: "boolean", description: "Shuffle the examples with the seed" },
  temperature: {
    type: "string",
    alias: "t",
    description: "Sampling temperature",
    valueHint: "number",
  },
  "top-p": {
    type: "string",
    description: "Nucleus sampling: cumulative probability, from 0 to 1",
    valueHint: "number",
  },
  "max-tokens": {
    type: "string",
    description: "Maximum tokens per model reply",
    valueHint: "count",
  },
  "max-total-tokens": {
    type: "string",
    description: "Maximum tokens per rollout",
    valueHint: "count",
  },
  "limit-turns": {
    type: "string",
    description: "Maximum turns per rollout, if below the environment's limit",
    valueHint: "count",
  },
  "turn-timeout": {
    type: "string",
    description: "Maximum time of one model call",
    valueHint: "seconds",
  },
  "rollout-timeout": {
    type: "string",
    description: "Maximum time of one rollout",
    valueHint: "seconds",
  },
  "hook-timeout": {
    type: "string",
    description: "Maximum time of one call of the environment's code (default 600)",
    valueHint: "seconds",
  },
  retry: {
    type: "string",
    description: `Play rollouts that fail with these codes (${retryableCodes.join(", ")}) again, at most n times (default ${defaultRetryTimes})`,
    valueHint: "codes[:n]",
  },
  tokens: {
    type: "boolean",
    description: "Record token ids and log-probabilities, if the server returns them (vLLM)",
  },
  "pass-threshold": {
    type: "string",
    description: "Minimum reward of a pass, for pass@k (default 0.5)",
    valueHint: "number",
  },
  "base-url": {
    type: "string",
    description: "URL of the model's server, including /v1; several with commas share the requests",
    valueHint: "url",
  },
  "api-key-var": {
    type: "string",
    description: "Environment variable with the API key (default OPENAI_API_KEY)",
    valueHint: "name",
  },
  ...judgeArguments,
  ...subModelArguments,
  config: {
    type: "string",
    description: "The environment's config as JSON; single flags override it",
    valueHint: "json",
  },
  prompts: {
    type: "string",
    description: "Other prompts for the environment: the prompts.json of envs optimize",
    valueHint: "file",
  },
  "config-file": {
    type: "string",
    description: "File with endpoints and plans (default ./envs.config.ts)",
    valueHint: "file",
  },
  plan: {
    type: "string",
    description: "Run the evaluations of a plan in the config file",
    valueHint: "name",
  },
  save: {
    type: "string",
    description: "Folder in which runs are saved",
    default: "outputs",
    valueHint: "folder",
  },
  resume: {
    type: "string",
    description: "Resume a run: its folder, or latest (default) for the newest incomplete run",
    valueHint: "run",
  },
  push: {
    type: "boolean",
    description: "Push the complete run to a hub that has this version of the environment",
  },
  registry: {
    type: "string",
    description: "With --push: the hub (default: ENVS_HUB, or a scope's registry in .npmrc)",
    valueHint: "url",
  },
  json: { type: "boolean", description: "Print one JSON object instead of tables" },
  quiet: { type: "boolean", alias: "q", description: "Do not show progress" },
} as const satisfies ArgsDef;
