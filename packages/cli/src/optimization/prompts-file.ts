import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { ConfigError, type Environment } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { type Prompts, withPrompts } from "@envs/optimize";
import * as z from "zod";

const schema = z.strictObject({
  environment: z.string(),
  prompts: z.record(z.string(), z.string()),
});

/** The prompts of an environment, as `envs optimize` writes them and `--prompts` reads them. */
export type PromptsFile = z.output<typeof schema>;

/** Reads a file of `--prompts`. Throws a `ConfigError` for a file that is missing or has another form. */
export function readPromptsFile(path: string): PromptsFile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(resolve(path), "utf8"));
  } catch (error) {
    throw new ConfigError(
      `Cannot read the prompts in ${path}: ${messageOf(error)}. Pass the prompts.json that envs optimize has written.`,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    `${path} has no prompts:\n${z.prettifyError(parsed.error)}\nWrite { "environment": "<name>", "prompts": { "systemPrompt": "…" } }, or pass the prompts.json of envs optimize.`,
  );
}

/** The environment with the prompts of a plan, if it has some. Throws a `ConfigError` for prompts of another environment. */
export function withPlannedPrompts(
  environment: Environment,
  prompts: PromptsFile | undefined,
): Environment {
  if (prompts === undefined) return environment;
  if (prompts.environment !== environment.name)
    throw new ConfigError(
      `The prompts are of ${prompts.environment}, not of ${environment.name}. Pass those of this environment to --prompts.`,
    );
  const texts: Prompts = prompts.prompts;
  return withPrompts(environment, texts);
}

/** The prompts that a saved run was played with; `undefined` for those of the environment. */
export function recordedPrompts(
  metadata: Readonly<Record<string, unknown>>,
): PromptsFile | undefined {
  return z.looseObject({ prompts: schema }).safeParse(metadata["plan"]).data?.prompts;
}
