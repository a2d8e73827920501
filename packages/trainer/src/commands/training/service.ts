import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { UsageError } from "@envs/cli/kit";
import { apiKeyFrom } from "@envs/cli/kit/models";
import { ConfigError } from "@envs/core";
import { redactUrl } from "@envs/core/engine";

import type { Backend } from "../../backend.ts";
import { loadRenderer } from "../../node/load-renderer.ts";
import { readState, type TrainingRecord } from "../../node/training-folder.ts";
import { planProblems } from "../../tinker/plan-problems.ts";
import { tinkerBackend } from "../../tinker/tinker-backend.ts";
import { isServed, type ServedModelSettings } from "../../train/model-settings.ts";
import type { TrainingPlan } from "../../train/plan.ts";
import type { ServiceAddress } from "./service-arguments.ts";

/** The address of the service of a run: of the command line, of the run that is resumed, or of the environment variable. */
export function serviceURL({ baseURL }: ServiceAddress, saved?: string): string {
  const url = baseURL ?? saved ?? process.env["TINKER_BASE_URL"] ?? "";
  if (url === "")
    throw new UsageError(
      "Missing address of the training service. Pass --base-url or set TINKER_BASE_URL. Example: --base-url http://localhost:8000",
    );
  if (URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)) return url;
  throw new UsageError(
    `--base-url is ${JSON.stringify(redactUrl(url))}. It must be a URL that begins with http:// or https://.`,
  );
}

/** The key in the environment variable that the command line names. Default: TINKER_API_KEY, which may be unset. */
export function serviceKey({ apiKeyVariable }: ServiceAddress): string | undefined {
  const key = process.env["TINKER_API_KEY"] ?? "";
  return apiKeyVariable === undefined && key === ""
    ? undefined
    : apiKeyFrom(apiKeyVariable ?? "TINKER_API_KEY");
}

export interface RunService {
  readonly model: ServedModelSettings;
  readonly apiKey: string | undefined;
  readonly record: NonNullable<TrainingRecord["service"]>;
}

/**
 * The service that a plan needs; `undefined` for the tiny model. Throws before anything is paid for: a `ConfigError` that
 * lists all settings which services cannot honour, a `UsageError` for options of a service that the plan does not use.
 */
export function servicePlan(
  plan: TrainingPlan,
  address: ServiceAddress,
  saved: TrainingRecord | undefined,
): RunService | undefined {
  const { model } = plan;
  if (!isServed(model)) {
    const [name] = Object.entries(address).find(([, value]) => value !== undefined) ?? [];
    if (name === undefined) return undefined;
    const flag = { baseURL: "base-url", apiKeyVariable: "api-key-var" }[name] ?? name;
    throw new UsageError(
      `--${flag} is for a large model on a service, but this run trains a model on this machine. Add --backend tinker and --base-model.`,
    );
  }
  const problems = planProblems(plan);
  if (problems.length > 0)
    throw new ConfigError(
      "A training service cannot run this recipe. Write another one with changes of these settings, and pass it with --config:",
      problems.map((message) => ({ path: [], message })),
    );
  const price = address.price ?? saved?.service?.price;
  const record = {
    base_url: serviceURL(address, saved?.service?.base_url),
    ...(price === undefined ? {} : { price }),
  };
  return { model, apiKey: serviceKey(address), record };
}

interface ConnectOptions {
  readonly seed: number;
  readonly isNew: boolean;
  /** Receives the reason for which the connection waits, such as the adapter of a killed client. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Maximum wait in milliseconds for an adapter that another client uses. Default: seven minutes. */
  readonly adapterTimeout?: number | undefined;
}

/** Connects to the service of a run. A new run starts from the plan's weights, a resumed one from its checkpoint. */
export async function connectService(
  { model: settings, apiKey, record: { base_url: baseURL } }: RunService,
  { seed, isNew, onWait, adapterTimeout }: ConnectOptions,
): Promise<Backend> {
  const { baseModel, tokenizer = baseModel, loraRank, contextLength, from } = settings;
  const start = from === undefined || !isNew ? undefined : await weightsOf(from);
  const renderer = await loadRenderer(tokenizer);
  const model = { baseModel, renderer, loraRank, contextLength, seed };
  const backend = await tinkerBackend({ ...model, baseURL, apiKey, onWait, adapterTimeout });
  if (start !== undefined)
    await backend.loadState(start, { resetsOptimizer: true }).catch(async (error: unknown) => {
      await backend.close();
      throw error;
    });
  return backend;
}

/** The service's path of weights, or the file that contains it. */
async function weightsOf(from: string): Promise<string> {
  if (from.startsWith("tinker://")) return from;
  const path = resolve(from);
  const state = await readState(path);
  const file = state === undefined ? path : join(path, state.checkpoint);
  if (existsSync(file) && file.endsWith(".safetensors")) return file;
  throw new ConfigError(
    `--from ${JSON.stringify(from)} has no weights for a service. Pass the folder of a training run of the same base model, or a path that begins with tinker://.`,
  );
}
