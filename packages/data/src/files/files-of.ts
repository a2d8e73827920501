import { fileURLToPath } from "node:url";

import { ConfigError } from "@envs/core";
import picomatch from "picomatch";

import { copyOf } from "../hub/copy.ts";
import { parseHubUrl } from "../hub/reference.ts";
import { openRepository } from "../hub/repository.ts";
import type { Source } from "../options.ts";
import { type DataFile, localFile } from "./data-file.ts";
import { urlFile } from "./url-file.ts";

/** The files that sources name. A source of a hub may name several, with `*`. */
export async function filesOf(sources: Source | readonly Source[]): Promise<readonly DataFile[]> {
  const list = typeof sources === "string" || sources instanceof URL ? [sources] : sources;
  if (list.length === 0)
    throw new ConfigError("The list of files is empty. Name at least one file.");
  return (await Promise.all(list.map(filesOfOne))).flat();
}

async function filesOfOne(source: Source): Promise<readonly DataFile[]> {
  const text = String(source);
  if (text.startsWith("file:")) return [localFile(fileURLToPath(text))];
  if (/^https?:/.test(text)) return [urlFile(new URL(text))];
  return text.startsWith("hf:") ? await hubFiles(text) : [localFile(text)];
}

async function hubFiles(url: string): Promise<readonly DataFile[]> {
  const { path, ...dataset } = parseHubUrl(url);
  const { paths, fileOf } = (await copyOf(dataset)) ?? (await openRepository(dataset));
  const isMatch = picomatch(path);
  const found = paths.filter((candidate) => candidate === path || isMatch(candidate));
  if (found.length > 0) return found.map(fileOf);
  throw new ConfigError(
    `The dataset ${dataset.name} has no file ${JSON.stringify(path)} at ${dataset.revision}. It has: ${listOf(paths)}.`,
  );
}

function listOf(paths: readonly string[]): string {
  const most = 20;
  const rest = paths.length > most ? ` and ${paths.length - most} more` : "";
  return `${paths.slice(0, most).join(", ")}${rest}`;
}
