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
import { argument, valueOption, flag } from "../terminal/options.ts";
import { queueOptions } from "./queue-options.ts";

/** The options of `envs eval`, without the environment's config options. */
export const evaluationArguments = {
  environment: argument(
    "A package (tictactoe, @you/your-environment) or a path (./my-environment)",
  ),
  model: {
    ...valueOption(
      `The model to run: ${modelSyntax}. In an environment with seats, also <seat>=<model>, once for each seat`,
    ),
    alias: "m",
  },
  "rotate-seats": flag("Let the models change seats from rollout to rollout of an example"),
  examples: valueOption(
    `Number of examples, or all, at most 100,000 (default ${defaultExamples}, or those that --select lists)`,
    "count",
    "n",
  ),
  rollouts: valueOption(
    `Rollouts per example (default ${defaultRolloutsPerExample})`,
    "count",
    "r",
  ),
  concurrency: valueOption("Maximum number of concurrent rollouts (default 32)", "count", "c"),
  ...queueOptions,
  seed: valueOption(
    "Seed of the dataset and of the environment's randomness (default 0)",
    "number",
  ),
  split: valueOption("Dataset split (default eval, else the first)"),
  select: valueOption(
    "Only these examples: indices, ranges and keys (3,10-20,key=abc), or a filter ('example.level >= 3')",
    "examples",
  ),
  shuffle: flag("Shuffle the examples with the seed"),
  temperature: valueOption("Sampling temperature", "number", "t"),
  "top-p": valueOption("Nucleus sampling: cumulative probability, from 0 to 1", "number"),
  "max-tokens": valueOption("Maximum tokens per model reply", "count"),
  "max-total-tokens": valueOption("Maximum tokens per rollout", "count"),
  "limit-turns": valueOption(
    "Maximum turns per rollout, if below the environment's limit",
    "count",
  ),
  "turn-timeout": valueOption("Maximum time of one model call", "seconds"),
  "rollout-timeout": valueOption("Maximum time of one rollout", "seconds"),
  "hook-timeout": valueOption(
    "Maximum time of one call of the environment's code (default 600)",
    "seconds",
  ),
  retry: valueOption(
    `Play rollouts that fail with these codes (${retryableCodes.join(", ")}) again, at most n times (default ${defaultRetryTimes})`,
    "codes[:n]",
  ),
  tokens: flag("Record token ids and log-probabilities, if the server returns them (vLLM)"),
  "pass-threshold": valueOption(
    "Minimum reward of a pass, for pass@k (default: the environment's, else 0.5)",
    "number",
  ),
  "base-url": valueOption(
    "URL of the model's server, including /v1; several with commas share the requests",
    "url",
  ),
  "api-key-var": valueOption(
    "Environment variable with the API key (default OPENAI_API_KEY)",
    "name",
  ),
  ...judgeArguments,
  ...subModelArguments,
  config: valueOption("The environment's config as JSON; single flags override it", "json"),
  prompts: valueOption(
    "Other prompts for the environment: the prompts.json of envs optimize",
    "file",
  ),
  "config-file": valueOption("File with endpoints and plans (default ./envs.config.ts)", "file"),
  plan: valueOption("Run the evaluations of a plan in the config file", "name"),
  save: {
    type: "string",
    description: "Folder in which runs are saved",
    default: "outputs",
    valueHint: "folder",
  },
  resume: valueOption(
    "Resume a run: its folder, or latest (default) for the newest incomplete run",
    "run",
  ),
  push: flag("Push the complete run to a hub that has this version of the environment"),
  registry: valueOption(
    "With --push: the hub (default: ENVS_HUB, or a scope's registry in .npmrc)",
    "url",
  ),
  json: flag("Print one JSON object instead of tables"),
  quiet: { type: "boolean", alias: "q", description: "Do not show progress" },
} as const satisfies ArgsDef;
