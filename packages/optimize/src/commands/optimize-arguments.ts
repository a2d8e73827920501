import { type ArgsDef, configFileOption, valueOption } from "@envs/cli/kit";
import { judgeArguments, subModelArguments } from "@envs/cli/kit/models";
import { evaluationArguments } from "@envs/cli/kit/runs";

const { environment, model, config, save, json, quiet } = evaluationArguments;

/** The number of rollouts of a search without a budget. */
export const defaultRollouts = 300;

/** The options of `envs optimize`, without the environment's config options. */
export const optimizeArguments = {
  environment,
  model: { ...model, description: `The model that plays; see envs eval --help` },
  reflection: valueOption(
    "The model that reads conversations and writes prompts, named as with -m",
    "model",
  ),
  "max-rollouts": valueOption(
    `Budget: rollouts, without those of held-out examples (default ${defaultRollouts}, or no limit with --max-cost)`,
    "count",
  ),
  "max-cost": valueOption(
    "Budget: cost of both models, at the prices of envs.config.ts or of genai-prices",
    "amount",
  ),
  "train-examples": valueOption(
    "Examples for reflection, and as many others that select candidates (default 20)",
    "count",
  ),
  "held-out-examples": valueOption(
    "Examples only for the report, which compares prompts on them (default 20)",
    "count",
  ),
  minibatch: valueOption("Conversations that one reflection reads (default 3)", "count"),
  merges: valueOption("Maximum number of merges of two candidates (default 5)", "count"),
  patience: valueOption(
    "End after this many proposals without an improvement (default 20)",
    "count",
  ),
  ...pick(
    evaluationArguments,
    "seed",
    "concurrency",
    "temperature",
    "max-tokens",
    "limit-turns",
    "turn-timeout",
    "rollout-timeout",
    "base-url",
    "api-key-var",
  ),
  "reflection-base-url": valueOption(
    "URL of the reflective model's server (default: --base-url)",
    "url",
  ),
  ...judgeArguments,
  ...subModelArguments,
  config,
  "config-file": configFileOption,
  save: { ...save, description: "Folder in which searches are saved" },
  resume: valueOption(
    "Continue a search, also with a larger budget: its folder, or latest (default) for the newest incomplete one",
    "folder",
  ),
  json,
  quiet,
} as const satisfies ArgsDef;

/** Picks fields of an object, in the given order. */
function pick<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  ...names: readonly Name[]
): Pick<Fields, Name> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its field
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<Fields, Name>;
}
