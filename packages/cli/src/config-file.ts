import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ConfigError } from "@envs/core";
import * as z from "zod";

const sampling = z.strictObject({
  temperature: z.number().min(0).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxTokens: z.int().min(1).optional(),
  stop: z.array(z.string()).optional(),
});

const endpoint = z.strictObject({
  model: z.string().describe("The model's name at the endpoint"),
  baseURL: z.url().optional(),
  apiKeyVariable: z.string().optional().describe("The variable that holds the key"),
  headers: z.record(z.string(), z.string()).optional(),
  extraBody: z.record(z.string(), z.unknown()).optional(),
  concurrency: z.int().min(1).optional(),
  sampling: sampling.optional(),
  tokens: z.boolean().optional(),
  sendSeed: z.boolean().optional(),
  price: z
    .strictObject({ input: z.number().min(0), output: z.number().min(0) })
    .optional()
    .describe("Per million tokens, in any currency"),
});

const plannedRun = z.strictObject({
  environment: z.string(),
  model: z.string(),
  config: z.record(z.string(), z.unknown()).optional(),
  examples: z.int().min(1).optional(),
  rolloutsPerExample: z.int().min(1).optional(),
  concurrency: z.int().min(1).optional(),
  split: z.string().optional(),
  shuffle: z.boolean().optional(),
  seed: z.int().optional(),
  sampling: sampling.optional(),
  maxTurns: z.int().min(1).optional(),
});

const configFile = z.strictObject({
  endpoints: z.record(z.string(), endpoint).default({}),
  plans: z.record(z.string(), z.array(plannedRun).min(1)).default({}),
});

/** A model server with a name, for `-m <name>`. */
export type Endpoint = z.output<typeof endpoint>;
/** One evaluation of a plan; what is left out has its default. */
export type PlannedRun = z.output<typeof plannedRun>;
/** What `envs.config.ts` exports. */
export type ConfigFile = z.input<typeof configFile>;

/** Types a config file: `export default defineConfig({ endpoints, plans })`. */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}

const names = ["envs.config.ts", "envs.config.js", "envs.config.mjs"];

/** Reads the config file at `path`, or the one in this folder; an empty config if there is none. */
export async function loadConfigFile(path?: string): Promise<z.output<typeof configFile>> {
  const found = path ?? names.find((name) => existsSync(resolve(name)));
  if (found === undefined) return configFile.parse({});
  if (!existsSync(resolve(found))) throw new ConfigError(`There is no config file ${found}.`);
  const module = (await import(pathToFileURL(resolve(found)).href)) as {
    readonly default?: unknown;
  };
  const parsed = configFile.safeParse(module.default);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${found} is not valid:\n${z.prettifyError(parsed.error)}`);
}
