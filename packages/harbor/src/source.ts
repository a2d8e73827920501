import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { extname, join, relative } from "node:path";

import { fetchTasks } from "./fetch/fetch-tasks.ts";
import { findTasks } from "./task/find-tasks.ts";

/** What the command line loads for `harbor:<place>`. */
export interface HarborSource {
  /** The URL of a module whose default export is the environment. */
  readonly module: string;
  /** Of all files of the tasks. */
  readonly contentHash: string;
}

/**
 * Finds the tasks below a folder, in a git repository or in a data set of Hugging Face. Throws a `ConfigError` if it contains no task, or
 * an invalid one.
 */
export async function source(place: string, workingFolder: string): Promise<HarborSource> {
  const folder = await fetchTasks(place, workingFolder);
  const hash = createHash("sha256");
  for (const task of findTasks(folder, place))
    for (const file of await filesIn(task.folder)) {
      hash.update(`${relative(folder, file)}\n`);
      for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    }
  const module = new URL(`./tasks${extname(import.meta.url)}`, import.meta.url);
  module.searchParams.set("folder", folder);
  return { module: module.href, contentHash: hash.digest("hex") };
}

/** Loads what `envs check`, `envs audit` and `envs run rescore` do with tasks. */
export const commands = async () => await import("./commands.ts");

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
