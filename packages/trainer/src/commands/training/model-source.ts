import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

import { ConfigError } from "@envs/core";

import { downloadModel, isRepository } from "../../node/model-repository.ts";

/** Where the weights of a model are: a folder of transformers, or a GGUF file. */
export interface ModelSource {
  readonly kind: "folder" | "gguf";
  readonly path: string;
}

/** Finds a model: a folder of transformers, a GGUF file, an installed package with either, or a model of Hugging Face. */
export async function findModel(reference: string): Promise<ModelSource> {
  const path = [resolve(reference), ...packageFolders(reference)].find((each) => existsSync(each));
  if (path !== undefined) return await sourceAt(path);
  if (isRepository(reference)) return { kind: "folder", path: await downloadModel(reference) };
  throw new ConfigError(
    `The model ${JSON.stringify(reference)} is neither a folder, a GGUF file nor an installed package. Pass one of them, or the name of a model on Hugging Face (owner/name).`,
  );
}

/** The folders in which Node looks for a package. */
function packageFolders(name: string): readonly string[] {
  if (!/^(?:@[\w.-]+\/)?[\w-][\w.-]*$/u.test(name)) return [];
  const from = createRequire(join(process.cwd(), "noop.js"));
  return (from.resolve.paths(name) ?? []).map((folder) => join(folder, name));
}

async function sourceAt(path: string): Promise<ModelSource> {
  if (path.endsWith(".gguf")) return { kind: "gguf", path };
  const isFolder = (await stat(path)).isDirectory();
  if (isFolder && existsSync(join(path, "config.json"))) return { kind: "folder", path };
  const [file, ...others] = isFolder
    ? (await readdir(path)).filter((name) => name.endsWith(".gguf"))
    : [];
  if (file !== undefined && others.length === 0) return { kind: "gguf", path: join(path, file) };
  if (existsSync(join(path, "adapter_config.json")))
    throw new ConfigError(
      `${path} is an adapter. Pass the model that it changes by --model, and the adapter by --from.`,
    );
  throw new ConfigError(
    `${path} is not a model: a folder needs the config.json of transformers or one GGUF file, and the name of a GGUF file ends with .gguf.`,
  );
}
