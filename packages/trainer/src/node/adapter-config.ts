import { ConfigError } from "@envs/core";
import * as z from "zod";

import type { AdapterFiles } from "../backend.ts";

const configSchema = z.looseObject({ target_modules: z.unknown().optional() });
const headerSchema = z.record(z.string(), z.unknown());

/**
 * Completes `adapter_config.json`. Services leave `target_modules` empty, and PEFT then assumes the usual modules of the
 * architecture and ignores the weights of all others, without an error: of SkyRL's adapters, five sevenths.
 */
export function completeAdapterConfig(
  { config, weights }: AdapterFiles,
  baseModel: string,
): AdapterFiles {
  const parsed = parseJson("adapter_config.json", config, configSchema);
  const modules = adaptedModules(weights);
  if (modules.length === 0)
    throw new ConfigError(
      "The adapter_model.safetensors of the service has no LoRA weights: no name of a tensor contains lora_A.",
    );
  const complete = {
    ...parsed,
    base_model_name_or_path: baseModel,
    target_modules: parsed.target_modules ?? modules,
  };
  return { weights, config: Buffer.from(`${JSON.stringify(complete, undefined, 2)}\n`) };
}

/** The names of the modules that have LoRA weights, such as `q_proj`, sorted. */
function adaptedModules(weights: Uint8Array): readonly string[] {
  const names = Object.keys(
    parseJson("adapter_model.safetensors", headerOf(weights), headerSchema),
  );
  const modules = names.flatMap(
    (name) => /(?:^|\.)([^.]+)\.lora_(?:embedding_)?A(?:\.|$)/u.exec(name)?.[1] ?? [],
  );
  return [...new Set(modules)].toSorted();
}

/** A safetensors file begins with the length of its JSON header, in eight bytes (huggingface/safetensors, "Format"). */
function headerOf(weights: Uint8Array): Uint8Array {
  const view = new DataView(weights.buffer, weights.byteOffset, weights.byteLength);
  const length = weights.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true));
  return weights.subarray(8, 8 + length);
}

function parseJson<Value>(name: string, bytes: Uint8Array, schema: z.ZodType<Value>): Value {
  try {
    return schema.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch (cause) {
    throw new ConfigError(`The service sent a damaged ${name}. Try again.`, [], { cause });
  }
}
