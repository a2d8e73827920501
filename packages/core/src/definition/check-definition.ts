import { ConfigError } from "../errors.ts";
import { isReserved } from "../message/stop.ts";
import { namedScores, type NamedScore } from "../rubric/rubric.ts";
import { checkKeys } from "./check-keys.ts";
import { checkRequires } from "./check-requirements.ts";
import { checkSeats } from "./check-seats.ts";
import { parseConfig } from "./config.ts";
import type { AnyDefinition } from "./environment.ts";
import { checkSubModelDefinition } from "./sub-model-needs.ts";
import { checkToolset } from "./tool.ts";
import { checkWorkspace } from "./workspace-tool.ts";

/** Fields of records and columns of tables. They would hide a score of the same name. */
export const reservedScoreNames: readonly string[] = [
  // Fields of a row of results.jsonl
  ..."example_id example_key rollout_index environment part example prompt completion answer info".split(
    " ",
  ),
  ..."reward metrics stop_condition is_completed is_truncated error timing token_usage".split(" "),
  ..."trajectory tool_errors tool_defs tools is_filtered feedback judge_usage branches sub_model_refusals seat other_seats unfinished_calls".split(
    " ",
  ),
  // Fields of `--where` and columns of `envs view`
  ..."turns tokens truncated filtered status stop rollout".split(" "),
];

/** Throws a `ConfigError` for a definition that no rollout could be played or recorded with. */
export function checkDefinition(definition: AnyDefinition): void {
  checkKeys(definition);
  const missing = (["name", "dataset", "rubric"] as const).find((key) => !(key in definition));
  if (missing !== undefined)
    throw new ConfigError(
      `${definition.name ?? "An environment"} has no ${missing}. Add it: name, dataset and rubric are required.`,
    );
  const { name, episode: { stop = {} } = {}, rubric, metrics = {} } = definition;
  const reserved = Object.keys(stop).find(isReserved);
  if (reserved !== undefined)
    throw new ConfigError(
      `${name} has a stop condition named ${reserved}, which is a stop reason of the engine. Choose another name.`,
    );
  const duplicate = Object.keys(metrics).find((metric) => Object.hasOwn(rubric, metric));
  if (duplicate !== undefined)
    throw new ConfigError(
      `${name} has a score and a metric named ${duplicate}. Rename one of them.`,
    );
  if (Object.keys(rubric).length === 0)
    throw new ConfigError(
      `The rubric of ${name} is empty, so every reward would be 0. Add a score, such as { correct: ({ reply, example }) => reply === example.answer }.`,
    );
  for (const score of namedScores(definition)) checkScore(name, score);
  if (typeof definition.tools === "object") checkToolset(name, definition.tools);
  checkPositionHooks(definition);
  checkSeats(definition);
  checkRequires(definition);
  checkWorkspace(definition);
  checkSubModelDefinition(definition);
  checkDefaults(definition);
}

/** Authors who write JavaScript may pass a list or a board where a function is required. */
function checkPositionHooks(definition: AnyDefinition): void {
  for (const hook of ["choices", "board"] as const) {
    const value: unknown = definition.game?.[hook];
    if (value === undefined || typeof value === "function") continue;
    throw new ConfigError(
      `${definition.name} has game.${hook} that is ${Array.isArray(value) ? "a list" : `of type ${typeof value}`}. Write a function of the position: ${hook}: ({ state }) => …`,
    );
  }
}

function checkScore(environment: string, { name, entry, weight }: NamedScore): void {
  if (name.trim() === "" || reservedScoreNames.includes(name))
    throw new ConfigError(
      `${environment} has a score or metric named ${JSON.stringify(name)}, which is ${name.trim() === "" ? "empty" : "a field of every record"}. Choose another name.`,
    );
  if (!Number.isFinite(weight))
    throw new ConfigError(
      `The score ${name} of ${environment} has the weight ${weight}. A weight is a finite number.`,
    );
  const range = typeof entry === "function" ? undefined : entry.range;
  if (range !== undefined && !(range[0] <= range[1]))
    throw new ConfigError(
      `The score ${name} of ${environment} has the range [${range.join(", ")}]. A range is the smallest value, then the largest.`,
    );
}

/** Tools that list, check and serve environments create them without a config. */
function checkDefaults({ name, config }: AnyDefinition): void {
  try {
    parseConfig(name, config, {});
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      `The config of ${name} is not valid without options. Give each option a default: z.string().default("…").`,
      error.issues,
    );
  }
}
