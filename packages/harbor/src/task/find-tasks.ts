import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { ConfigError } from "@envs/core";

import { type HarborTask, readTask } from "./task.ts";

/** Data sets keep tasks in folders of folders; deeper folders are what tasks contain. */
const maxDepth = 3;

/**
 * Reads the task in a folder, or all tasks below it, in the order of their paths. Throws a `ConfigError` with the place if it finds
 * none.
 */
export function findTasks(folder: string, place = resolve(folder)): readonly HarborTask[] {
  const tasks = taskFolders(resolve(folder), maxDepth).map(readTask);
  if (tasks.length > 0) return tasks;
  throw new ConfigError(
    `${place} contains no task of Harbor. Pass a folder with task.toml, or a folder of such folders.`,
  );
}

function taskFolders(folder: string, depth: number): readonly string[] {
  if (existsSync(join(folder, "task.toml"))) return [folder];
  if (depth === 0 || !existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules",
    )
    .map(({ name }) => name)
    .toSorted()
    .flatMap((name) => taskFolders(join(folder, name), depth - 1));
}
