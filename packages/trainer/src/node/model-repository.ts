import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { downloadFileToCacheDir } from "@huggingface/hub";
import * as z from "zod";

/** Whether a text may be the name of a model on Hugging Face: owner/name. */
export function isRepository(name: string): boolean {
  return /^[\w-][\w.-]*\/[\w-][\w.-]*$/u.test(name);
}

/** Downloads a file of a model into the cache that Python uses too. Returns its path. */
export async function downloadModelFile(name: string, path: string): Promise<string> {
  const { HF_ENDPOINT: hubUrl, HF_TOKEN: accessToken } = process.env;
  return await downloadFileToCacheDir({
    repo: { type: "model", name },
    path,
    ...(hubUrl === undefined ? {} : { hubUrl }),
    ...(accessToken === undefined ? {} : { accessToken }),
  });
}

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** Downloads the configuration and the weights of a model. Returns their folder. */
export async function downloadModel(name: string): Promise<string> {
  try {
    const config = await downloadModelFile(name, "config.json");
    const index = await downloadModelFile(name, "model.safetensors.index.json").catch(() => "");
    const files =
      index === ""
        ? ["model.safetensors"]
        : Object.values(indexSchema.parse(JSON.parse(await readFile(index, "utf8"))).weight_map);
    for (const file of new Set(files)) await downloadModelFile(name, file);
    return dirname(config);
  } catch (error) {
    throw new ConfigError(
      `${name} is not a folder here, and cannot be downloaded from Hugging Face: ${messageOf(error)}. Pass the folder of a model, a GGUF file, or an installed package.`,
      [],
      { cause: error },
    );
  }
}
