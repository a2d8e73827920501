import { existsSync } from "node:fs";

import { type Model, policy } from "@envs/core";
import { mapValues } from "@envs/core/engine";
import { findPrice } from "@envs/models/prices";
import type * as TinyModels from "@envs/tiny-model";
import type * as TinyFiles from "@envs/tiny-model/node";

import { importPackage } from "../packages/import-package.ts";
import { mostSimilar } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/errors.ts";
import { apiKeyFrom } from "./api-key.ts";
import { endpointModel } from "./endpoint-model.ts";
import { loadModels } from "./load-models.ts";
import { configSource, type LoadedModel, type LoadModelOptions } from "./loaded-model.ts";
import type { ModelPackage } from "./model-loader.ts";

/** How to name a model, for help and error messages. */
export const modelSyntax =
  "policy:<name>, tiny:<name or checkpoint>, lora:<training run, adapter, or model> or lora:<model>+<adapter>, tinker:<training run>, gguf:<file>, gguf:<file>+<LoRA adapter>, agent:<module> or agent:<module>@<the model that it asks>, with helpers agent:<module>@<name>=<model>,<name>=<model>, program:<pi, codex, opencode, claude-code, gemini-cli or qwen-code>@<the model that it asks>, acp:<a program, or a command that speaks ACP>@<the model that it asks>, shell:<the model of a plain agent>, an endpoint in envs.config.ts, or a model's name at --base-url or OPENAI_BASE_URL";

/** Loads a model by name. See {@link modelSyntax}. */
export async function loadModel(name: string, options: LoadModelOptions): Promise<LoadedModel> {
  const close = async (): Promise<void> => {};
  if (name.startsWith("policy:")) return { model: policy(name.slice("policy:".length)), close };
  if (name.startsWith("gguf:")) return loadGguf(name.slice("gguf:".length), options);
  const prefix = name.split(":", 1)[0]!;
  if (Object.hasOwn(modelPackages, prefix) && name.startsWith(`${prefix}:`))
    return loadFromPackage(prefix as keyof typeof modelPackages, name, options);
  // With --base-url, the name is sent to the server: `envs serve model` serves models under names such as tiny:base.
  if (name.startsWith("tiny:") && options.baseURL === undefined) return loadTiny(name);
  const endpoint = Object.hasOwn(options.endpoints, name) ? options.endpoints[name] : undefined;
  const baseURL = options.baseURL ?? endpoint?.baseURL;
  if (endpoint === undefined && baseURL === undefined) checkPrefix(name);
  const variable = options.apiKeyVariable ?? endpoint?.apiKeyVariable;
  const { headers, extraBody, concurrency, sampling, tokens, sendSeed } = endpoint ?? {};
  const model = await endpointModel(endpoint?.model ?? name, {
    dialect: endpoint?.dialect,
    baseURL,
    apiKey: apiKeyFrom(variable),
    headers,
    extraBody,
    concurrency,
    sampling,
    tokens: options.tokens ?? tokens,
    sendSeed,
  });
  // Helpers have no helpers, so that endpoints may name each other.
  const endpoints = mapValues(options.endpoints, (each) => ({ ...each, helpers: undefined }));
  const helpers =
    endpoint?.helpers &&
    (await loadModels(endpoint.helpers, (helper) => loadModel(helper, { ...options, endpoints })));
  const served = { name: endpoint?.model ?? name, baseURLs: model.baseURLs?.() ?? [] };
  return {
    model,
    close: helpers?.close ?? close,
    helpers: helpers?.models,
    baseURL: typeof baseURL === "object" ? baseURL.join(",") : baseURL,
    serverUse: model.serverUse,
    price:
      endpoint?.price === undefined
        ? await findPrice({ ...served, date: new Date() })
        : { ...endpoint.price, source: configSource },
  };
}

/** The packages that load the models of a prefix. */
const modelPackages = {
  agent: "gateway",
  acp: "gateway",
  program: "gateway",
  shell: "gateway",
  lora: "trainer",
  tinker: "trainer",
} as const;

const prefixes = ["policy", "tiny", "gguf", ...Object.keys(modelPackages)];

async function loadFromPackage(
  prefix: keyof typeof modelPackages,
  name: string,
  options: LoadModelOptions,
): Promise<LoadedModel> {
  const path = `${modelPackages[prefix]}/commands`;
  const { models = {} } = await importPackage<ModelPackage>(path, `The model ${name}`);
  const load = await models[prefix]!();
  return load(name.slice(prefix.length + 1), options, (other) => loadModel(other, options));
}

/** Throws a `UsageError` for a misspelled prefix. A server's model may have a colon in its name, such as `qwen3:8b`. */
function checkPrefix(name: string): void {
  const [prefix = "", ...rest] = name.split(":");
  const similar = rest.length === 0 ? undefined : mostSimilar(prefix.toLowerCase(), prefixes);
  if (similar === undefined || (process.env["OPENAI_BASE_URL"] ?? "") !== "") return;
  throw new UsageError(
    `Unknown model ${JSON.stringify(name)}. Did you mean ${similar}:${rest.join(":")}? For a server's model of this name, pass --base-url.`,
  );
}

/** Imported only when needed: most commands do not use a tiny model. */
async function loadTiny(reference: string): Promise<LoadedModel> {
  const user = `The model ${reference}`;
  const [{ chatModel, TinyModel }, { findCheckpoint }] = await Promise.all([
    importPackage<typeof TinyModels>("tiny-model", user),
    importPackage<typeof TinyFiles>("tiny-model/node", user),
  ]);
  const { checkpoint } = await findCheckpoint(reference);
  const tiny = await TinyModel.start(reference, checkpoint);
  return { model: chatModel(tiny), close: () => tiny.close() };
}

/** `reference` is a file, or `<file>+<file of a LoRA adapter>`. */
async function loadGguf(
  reference: string,
  { concurrency }: LoadModelOptions,
): Promise<LoadedModel> {
  const { llama } = await importPackage<Llama>("llama", `The model gguf:${reference}`);
  const sequences = Math.min(concurrency, 4);
  const [file = "", adapter] = existsSync(reference)
    ? [reference]
    : reference.split(/\+(?=[^+]*$)/u);
  const model = await llama(file, { sequences, adapter });
  return { model, concurrency: sequences, close: () => model.close() };
}

/** The part of `@envs/llama` used here. The package is an optional peer dependency, so its types may be missing. */
interface Llama {
  readonly llama: (
    file: string,
    options: { readonly sequences: number; readonly adapter: string | undefined },
  ) => Promise<Model & { readonly close: () => Promise<void> }>;
}
