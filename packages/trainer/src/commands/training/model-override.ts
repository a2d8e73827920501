import { UsageError } from "@envs/cli/kit";
import * as z from "zod";

import {
  type BackendName,
  backendOf,
  isLocal,
  isServed,
  type LocalModelSettings,
  localSettings,
  type ModelSettings,
  type ServedModelSettings,
  servedSettings,
} from "../../train/model-settings.ts";
import type { ServiceOverrides } from "./service-arguments.ts";

/** The options of the command line for the model. */
export interface ModelOverrides extends ServiceOverrides {
  readonly threads?: number | undefined;
  /** The weights to start from. */
  readonly from?: string | undefined;
}

/** The option of each setting, and the backends that have it. */
const options = {
  threads: ["threads", ["tiny"]],
  localModel: ["model", ["lora"]],
  loraAlpha: ["lora-alpha", ["lora"]],
  loraTargets: ["lora-targets", ["lora"]],
  baseModel: ["base-model", ["tinker"]],
  tokenizer: ["tokenizer", ["lora", "tinker"]],
  loraRank: ["lora-rank", ["lora", "tinker"]],
  contextLength: ["context-length", ["lora", "tinker"]],
} as const satisfies Partial<Record<keyof ModelOverrides, [string, BackendName[]]>>;

const descriptions: Readonly<Record<BackendName, string>> = {
  tiny: "the tiny model",
  lora: "a real model on this machine (--model)",
  tinker: "a large model on a service (--backend tinker)",
};

/** The model of a plan with the options of the command line. Throws a `UsageError` for options of the other backends. */
export function overrideModel(model: ModelSettings, overrides: ModelOverrides): ModelSettings {
  const backend = overrides.backend ?? impliedBackend(overrides) ?? backendOf(model);
  for (const [name, [flag, backends]] of Object.entries(options))
    if (overrides[name as keyof typeof options] !== undefined && !isOneOf(backends, backend))
      throw new UsageError(
        `--${flag} is for ${backends.map((owner) => descriptions[owner]).join(" or ")}, but this run trains ${descriptions[backend]}. Remove it, or choose another --backend.`,
      );
  if (backend === "tinker") return servedModel(model, overrides);
  if (backend === "lora") return localModel(model, overrides);
  if (overrides.from !== undefined) return { from: overrides.from };
  if (backendOf(model) === "tiny") return model;
  throw new UsageError(
    `The recipe trains ${descriptions[backendOf(model)]}. Remove --backend tiny, or pass the tiny model to train, such as --from tiny:base.`,
  );
}

function impliedBackend({ localModel, baseModel }: ModelOverrides): BackendName | undefined {
  if (localModel !== undefined) return "lora";
  return baseModel === undefined ? undefined : "tinker";
}

function isOneOf(backends: readonly BackendName[], backend: BackendName): boolean {
  return backends.includes(backend);
}

function servedModel(model: ModelSettings, overrides: ModelOverrides): ModelSettings {
  const { baseModel = isServed(model) ? model.baseModel : undefined } = overrides;
  if (baseModel === undefined)
    throw new UsageError(
      "Missing base model: the recipe trains another kind of model. Pass the service's name of a model, for example --base-model Qwen/Qwen3-4B-Instruct-2507. envs train --doctor lists the models of a service.",
    );
  const { tokenizer, loraRank, contextLength, from } = overrides;
  const recipe = isServed(model) ? settingsFor(model, model.baseModel === baseModel) : {};
  return parsed(servedSettings, recipe, { baseModel, tokenizer, loraRank, contextLength, from });
}

function localModel(model: ModelSettings, overrides: ModelOverrides): ModelSettings {
  const { localModel = isLocal(model) ? model.localModel : undefined } = overrides;
  if (localModel === undefined)
    throw new UsageError(
      "Missing model: the recipe trains another kind of model. Pass a folder of transformers, a GGUF file, a package or a model of Hugging Face, for example --model HuggingFaceTB/SmolLM2-135M-Instruct.",
    );
  const { tokenizer, loraRank, loraAlpha, loraTargets, contextLength, from } = overrides;
  const recipe = isLocal(model) ? settingsFor(model, model.localModel === localModel) : {};
  const options = { localModel, tokenizer, loraRank, loraAlpha, loraTargets, contextLength, from };
  return parsed(localSettings, recipe, options);
}

/** Keeps the tokenizer and weights of a recipe only if its model is trained: another one has different ones. */
function settingsFor(model: ServedModelSettings | LocalModelSettings, isSame: boolean): object {
  const { tokenizer: _, from: _from, ...others } = model;
  return isSame ? model : others;
}

function parsed(schema: z.ZodType<ModelSettings>, ...parts: readonly object[]): ModelSettings {
  const settings = parts.flatMap((part) => Object.entries(part));
  const { data, error } = schema.safeParse(
    Object.fromEntries(settings.filter(([, value]) => value !== undefined)),
  );
  if (data !== undefined) return data;
  throw new UsageError(`These options of the model do not fit:\n${z.prettifyError(error)}`);
}
