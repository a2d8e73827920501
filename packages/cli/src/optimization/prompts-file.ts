import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { ConfigError, type Environment } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import * as z from "zod";

import { importPackage } from "../packages/import-package.ts";

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

/** Returns a function that gives an environment the prompts of a plan, if it has some. It throws for prompts of another environment. */
export async function promptsSetter(
  file: PromptsFile | undefined,
): Promise<(environment: Environment) => Environment> {
  if (file === undefined) return (environment) => environment;
  const { withPrompts } = await importPackage<PromptsModule>("optimize", "--prompts");
  return (environment) => {
    if (file.environment === environment.name) return withPrompts(environment, file.prompts);
    throw new ConfigError(
      `The prompts are of ${file.environment}, not of ${environment.name}. Pass those of this environment to --prompts.`,
    );
  };
}

/** The part of `@envs/optimize` used here. */
interface PromptsModule {
  readonly withPrompts: (environment: Environment, prompts: PromptsFile["prompts"]) => Environment;
}

/** The prompts that a saved run was played with; `undefined` for those of the environment. */
export function recordedPrompts(
  metadata: Readonly<Record<string, unknown>>,
): PromptsFile | undefined {
  return z.looseObject({ prompts: schema }).safeParse(metadata["plan"]).data?.prompts;
}
