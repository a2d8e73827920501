import type { ArgsDef } from "@envs/cli/kit";
import { judgeArguments, subModelArguments } from "@envs/cli/kit/models";
import { evaluationArguments, queueOptions } from "@envs/cli/kit/runs";

import { serviceArguments } from "./service-arguments.ts";

/** The options of `envs train`. */
export const trainArguments = {
  environment: {
    type: "positional",
    required: false,
    description: "A package or a path",
  },
  config: {
    type: "string",
    alias: "c",
    description: "Training recipe (default: the recipe in the environment's package)",
    valueHint: "file",
  },
  phases: {
    type: "string",
    description: "Run only these phases of the recipe, such as sft,rl",
    valueHint: "names",
  },
  from: {
    type: "string",
    description: "Model to start from: tiny:<name>, a checkpoint, or the folder of a training run",
    valueHint: "model",
  },
  agent: {
    type: "string",
    description:
      "Module of an agent that plays with the trained model; its model calls are trained",
    valueHint: "file",
  },
  seed: { type: "string", description: "Seed of all randomness (default: the recipe's)" },
  threads: {
    type: "string",
    description: "Threads of the tiny model (default: the recipe's)",
    valueHint: "count",
  },
  resume: evaluationArguments.resume,
  smoke: {
    type: "boolean",
    description:
      "Test in about a minute whether a tiny model can learn here; accepts the options of the environment's config",
  },
  save: evaluationArguments.save,
  ...queueOptions,
  ...serviceArguments,
  ...judgeArguments,
  ...subModelArguments,
  "config-file": evaluationArguments["config-file"],
  json: { type: "boolean", description: "Print the result as JSON" },
  quiet: evaluationArguments.quiet,
} as const satisfies ArgsDef;
