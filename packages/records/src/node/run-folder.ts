import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { readMetadata } from "./run-store.ts";

/** The folder with the runs of an environment and a model: `<outputs>/evals/<environment>--<model>`. */
export function runsFolder(outputs: string, environment: string, model: string): string {
  return join(outputs, "evals", `${fileName(environment)}--${fileName(model)}`);
}

/** Finds the folders of all runs below `<outputs>/evals`, the newest first. */
export async function findRuns(outputs: string): Promise<readonly string[]> {
  const root = join(outputs, "evals");
  const dated: { path: string; date: string }[] = [];
  for (const group of await folders(root))
    for (const run of await folders(join(root, group))) {
      const path = join(root, group, run);
      const metadata = await readMetadata(path).catch(() => undefined);
      if (metadata !== undefined)
        dated.push({ path, date: metadata.date ?? (await modifiedAt(path)) });
    }
  return dated.toSorted((a, b) => (a.date < b.date ? 1 : -1)).map(({ path }) => path);
}

/** The date for runs of verifiers, whose metadata lacks one. */
async function modifiedAt(path: string): Promise<string> {
  return (await stat(join(path, "metadata.json"))).mtime.toISOString();
}

async function folders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function fileName(name: string): string {
  return name.replaceAll("/", "--").replaceAll(/[^\w.()-]+/g, "_");
}
