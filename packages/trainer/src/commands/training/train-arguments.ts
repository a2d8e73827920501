import { argument, valueOption, flag } from "@envs/cli/kit";
import type { ArgsDef } from "@envs/cli/kit";
import { judgeArguments, subModelArguments } from "@envs/cli/kit/models";
import { evaluationArguments, queueOptions } from "@envs/cli/kit/runs";

import { serviceArguments } from "./service-arguments.ts";

/** The options of `envs train`. */
export const trainArguments = {
  environment: argument("A package or a path"),
  config: valueOption(
    "Training recipe (default: the recipe in the environment's package)",
    "file",
    "c",
  ),
  phases: valueOption("Run only these phases of the recipe, such as sft,rl", "names"),
  from: valueOption(
    "Model to start from: tiny:<name>, a checkpoint, or the folder of a training run",
    "model",
  ),
  agent: valueOption(
    "Module of an agent that plays with the trained model; its model calls are trained",
    "file",
  ),
  seed: valueOption("Seed of all randomness (default: the recipe's)"),
  threads: valueOption("Threads of the tiny model (default: the recipe's)", "count"),
  resume: evaluationArguments.resume,
  smoke: flag(
    "Test in about a minute whether a tiny model can learn here; accepts the options of the environment's config",
  ),
  save: evaluationArguments.save,
  ...queueOptions,
  ...serviceArguments,
  ...judgeArguments,
  ...subModelArguments,
  "config-file": evaluationArguments["config-file"],
  json: flag("Print the result as JSON"),
  quiet: evaluationArguments.quiet,
} as const satisfies ArgsDef;
