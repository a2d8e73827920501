import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { ConfigError } from "@envs/core";
import { retryableCodes } from "@envs/core/engine";
import * as z from "zod";

import { importDefault } from "./import-module.ts";

const sampling = z.strictObject({
  temperature: z.number().min(0).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxTokens: z.int().min(1).optional(),
  stop: z.array(z.string()).optional(),
});

const endpoint = z.strictObject({
  model: z.string().describe("The model's name on the server"),
  baseURL: z
    .union([z.url(), z.array(z.url()).min(1)])
    .optional()
    .describe("The server's address, including /v1; a list for several servers of the same model"),
  dialect: z
    .enum(["chat", "responses", "messages", "gemini"])
    .optional()
    .describe(
      "The server's API: OpenAI's chat completions (the default) or Responses, Anthropic's Messages, or Google's Gemini API",
    ),
  apiKeyVariable: z.string().optional().describe("The environment variable with the API key"),
  headers: z.record(z.string(), z.string()).optional(),
  extraBody: z.record(z.string(), z.unknown()).optional(),
  concurrency: z.int().min(1).optional(),
  sampling: sampling.optional(),
  tokens: z.boolean().optional().describe("Whether to request token ids; chat completions only"),
  sendSeed: z.boolean().optional().describe("Whether to send seeds; chat completions only"),
  helpers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Other models that an agent asks beside this one, by the names that it asks for"),
  price: z
    .strictObject({
      input: z.number().min(0),
      output: z.number().min(0),
      cacheRead: z.number().min(0).optional().describe("Default: as other input tokens"),
      cacheWrite: z.number().min(0).optional().describe("Default: as other input tokens"),
    })
    .optional()
    .describe("Price per million tokens, in any currency"),
});

const plannedRun = z.strictObject({
  environment: z.string(),
  model: z.string(),
  judge: z.string().optional().describe("The model that judges; several with commas vote"),
  subModel: z
    .string()
    .optional()
    .describe("The model that answers sub-model calls; default: the model"),
  config: z.record(z.string(), z.unknown()).optional(),
  examples: z.int().min(1).optional(),
  rolloutsPerExample: z.int().min(1).optional(),
  concurrency: z.int().min(1).optional(),
  split: z.string().optional(),
  shuffle: z.boolean().optional(),
  select: z.string().optional(),
  seed: z.int().optional(),
  sampling: sampling.optional(),
  maxTurns: z.int().min(1).optional(),
  retry: z
    .strictObject({
      codes: z.array(z.enum(retryableCodes)).min(1),
      times: z.int().min(1).optional(),
    })
    .optional(),
});

const configFile = z.strictObject({
  endpoints: z.record(z.string(), endpoint).default({}),
  plans: z.record(z.string(), z.array(plannedRun).min(1)).default({}),
});

/** A named model server, for `-m <name>`. */
export type Endpoint = z.output<typeof endpoint>;
/** One evaluation of a plan. */
export type PlannedRun = z.output<typeof plannedRun>;
/** The default export of `envs.config.ts`. */
export type ConfigFile = z.input<typeof configFile>;

/** Type-checks a config file: `export default defineConfig({ endpoints, plans })`. */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}

const names = ["envs.config.ts", "envs.config.js", "envs.config.mjs"];

/** Reads the config file at `path`, or the one in the current folder. Returns an empty config if the file does not exist. */
export async function loadConfigFile(path?: string): Promise<z.output<typeof configFile>> {
  const file = path ?? names.find((name) => existsSync(resolve(name)));
  if (file === undefined) return configFile.parse({});
  const parsed = configFile.safeParse(await importDefault(resolve(file), "Config file"));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`Invalid config file ${file}:\n${z.prettifyError(parsed.error)}`);
}
