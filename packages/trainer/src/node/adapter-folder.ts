import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { parseJson } from "@envs/core/engine";
import { createFolder } from "@envs/records/node";

import type { AdapterFiles } from "../backend.ts";
import { readInputFile, writeFileAtomically } from "../files.ts";

/** The folder of a training run that has its adapter. */
export const adapterFolder = "adapter";

/** Reads the `adapter_config.json` of a folder. Throws a `ConfigError` if it is absent or not JSON. */
export async function readAdapterConfig(folder: string): Promise<unknown> {
  const file = join(folder, "adapter_config.json");
  const text = await readFile(file, "utf8").catch(() => {
    throw new ConfigError(
      `${folder} has no adapter: adapter_config.json is absent. Pass an adapter in PEFT's format, or the folder of a training run of the same base model.`,
    );
  });
  const config = parseJson(text);
  if (config !== undefined) return config;
  throw new ConfigError(`${file} is not JSON. Copy the adapter again.`);
}

/** Reads an adapter in PEFT's format. */
export async function readAdapter(folder: string): Promise<AdapterFiles> {
  return {
    config: await readInputFile(join(folder, "adapter_config.json")),
    weights: await readInputFile(join(folder, "adapter_model.safetensors")),
  };
}

/** Writes an adapter as PEFT loads it. */
export async function writeAdapter(folder: string, files: AdapterFiles): Promise<void> {
  await createFolder(folder);
  await writeFileAtomically(join(folder, "adapter_config.json"), files.config);
  await writeFileAtomically(join(folder, "adapter_model.safetensors"), files.weights);
}
