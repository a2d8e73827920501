import { join } from "node:path";

import { createFolder } from "@envs/records/node";

import type { AdapterFiles } from "../backend.ts";
import { readInputFile, writeFileAtomically } from "../files.ts";

/** The folder of a training run that has its adapter. */
export const adapterFolder = "adapter";

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
