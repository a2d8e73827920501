import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type { Renderer } from "@envs/tiny-model";

import { type TemplateFiles, templateRenderer } from "../renderer/template-renderer.ts";
import { downloadModelFile, isRepository } from "./model-repository.ts";

/**
 * Loads the tokenizer and the chat template of a model: from a folder with its files, or from a repository of Hugging Face
 * such as `Qwen/Qwen3-8B`, into the cache that Python uses too.
 */
export async function loadRenderer(reference: string): Promise<Renderer> {
  const read = existsSync(reference) ? folderReader(reference) : repositoryReader(reference);
  const config = JSON.parse(await required(read, "tokenizer_config.json", reference)) as object;
  const tokenizer = JSON.parse(await required(read, "tokenizer.json", reference)) as object;
  const template = await read("chat_template.jinja").catch(() => undefined);
  const generation = await read("generation_config.json").catch(() => "{}");
  const { eos_token_id: stop } = JSON.parse(generation) as { eos_token_id?: number | number[] };
  return templateRenderer({
    tokenizer,
    config: config as TemplateFiles["config"],
    template,
    stopIds: stop === undefined ? [] : [stop].flat(),
  });
}

type ReadFile = (name: string) => Promise<string>;

function folderReader(folder: string): ReadFile {
  return (name) => readFile(join(folder, name), "utf8");
}

function repositoryReader(name: string): ReadFile {
  if (!isRepository(name))
    throw new ConfigError(
      `The tokenizer ${JSON.stringify(name)} is neither a folder nor the name of a model on Hugging Face (owner/name). Pass --tokenizer with a folder that contains tokenizer.json and tokenizer_config.json.`,
    );
  return async (path) => readFile(await downloadModelFile(name, path), "utf8");
}

async function required(read: ReadFile, name: string, reference: string): Promise<string> {
  try {
    return await read(name);
  } catch (error) {
    throw new ConfigError(
      `Cannot read ${name} of the model ${reference}: ${messageOf(error)}. Training needs the model's tokenizer and chat template. Pass --tokenizer with a folder that contains tokenizer.json and tokenizer_config.json.`,
      [],
      { cause: error },
    );
  }
}
