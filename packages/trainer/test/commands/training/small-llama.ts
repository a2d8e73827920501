import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { writeSafetensors } from "@envs/tiny-model/engine";

import { smallFiles } from "../../../../lora/test/small-model.ts";
import { lettersVocabulary, writeTokenizer } from "./letters-service.ts";

/** Writes a very small random Llama as transformers saves it, with a tokenizer for letters. */
export async function writeSmallLlama(
  folder: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  await writeTokenizer(folder);
  const { config, tensors } = smallFiles({ vocab_size: lettersVocabulary, ...changes });
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  await writeFile(join(folder, "model.safetensors"), writeSafetensors(tensors));
  return folder;
}
