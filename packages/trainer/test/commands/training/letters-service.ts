import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { TinyModel, trainTokenizer, untrained } from "@envs/tiny-model";
import { tinyBackend } from "@envs/trainer";

import { tokenizerJson } from "../../renderer/tokenizer-json.ts";
import { TinkerServer, type TinkerServerOptions } from "../../tinker/tinker-server.ts";

const tokenizer = trainTokenizer(["abcd"], { vocabularySize: 32 });
const { tokens, roleIds } = tokenizer;
const special = Object.keys(roleIds);
export const lettersVocabulary = tokenizer.vocabularySize;

/** A tiny model behind Tinker's API, under the name `tiny`. */
export async function lettersService(options?: TinkerServerOptions): Promise<TinkerServer> {
  const size = { width: 16, layers: 1, heads: 1, hidden: 16, context: 64 };
  const shape = { vocabulary: tokenizer.vocabularySize, ...size };
  return TinkerServer.start(
    tinyBackend(await TinyModel.start("tiny", untrained(shape, tokenizer, 5))),
    options,
  );
}

/** Writes the tokenizer and the chat template of that model, in the formats of Hugging Face. */
export async function writeTokenizer(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const texts = tokens.filter((_, id) => id >= special.length);
  const json = tokenizerJson(special, texts);
  const template =
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% if m.role == 'assistant' %}<|end|>{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(json));
  await writeFile(
    join(folder, "tokenizer_config.json"),
    JSON.stringify({ chat_template: template }),
  );
  return folder;
}
