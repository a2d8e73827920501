import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { ConfigError } from "@envs/core";

import { exists } from "../files/partial-file.ts";
import type { DatasetReference } from "./reference.ts";
import { folderRepository, type Repository } from "./repository.ts";

/**
 * A copy of a dataset on this machine: in `folder`, or in `<owner>/<name>` below the folder of `ENVS_DATASETS`. Throws a
 * `ConfigError` for a `folder` that does not exist.
 */
export async function copyOf(
  { name }: DatasetReference,
  folder?: string | URL,
): Promise<Repository | undefined> {
  const copies = process.env["ENVS_DATASETS"];
  const chosen = folder ?? (copies ? join(copies, name) : undefined);
  if (chosen === undefined) return undefined;
  const path = chosen instanceof URL ? fileURLToPath(chosen) : chosen;
  if (!(await exists(path))) {
    if (folder === undefined) return undefined;
    throw new ConfigError(`The folder ${path} for the dataset ${name} does not exist.`);
  }
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted();
  return folderRepository(name, path, paths);
}
