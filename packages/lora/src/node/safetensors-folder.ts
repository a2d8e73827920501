import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { readHeader } from "@envs/tiny-model/engine";
import * as z from "zod";

import type { ModelFiles } from "../lora-model.ts";

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** Reads a model as transformers saves it: `config.json`, and `model.safetensors` or its parts. */
export async function readModelFolder(folder: string): Promise<ModelFiles> {
  const json = async (name: string): Promise<unknown> => {
    const text = await readFile(join(folder, name), "utf8").catch(() => undefined);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const config = await json("config.json");
  if (config === undefined)
    throw new ConfigError(
      `${folder} has no config.json. Pass the folder of a model that transformers saved.`,
    );
  const index = await json("model.safetensors.index.json");
  const files =
    index === undefined
      ? ["model.safetensors"]
      : [...new Set(Object.values(indexSchema.parse(index).weight_map))];
  const found = new Map<string, { readonly bytes: Uint8Array; readonly entry: Entry }>();
  for (const file of files) {
    const bytes = await readFile(join(folder, file)).catch(() => {
      throw new ConfigError(`${folder} has no ${file}.`);
    });
    for (const entry of readHeader(bytes).entries) found.set(entry.name, { bytes, entry });
  }
  return {
    config,
    tensors: (name) => {
      const tensor = found.get(name);
      if (tensor === undefined) return undefined;
      const { bytes, entry } = tensor;
      const data = entry.elements.read(new Uint8Array(bytes.subarray(entry.begin, entry.end)));
      if (!(data instanceof Float32Array))
        throw new ConfigError(
          `The tensor ${name} has whole numbers instead of floating-point ones.`,
        );
      return { shape: entry.shape, data };
    },
  };
}

type Entry = ReturnType<typeof readHeader>["entries"][number];
