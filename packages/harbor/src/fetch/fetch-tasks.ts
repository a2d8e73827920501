import { join, resolve } from "node:path";

import { downloadDataset } from "@envs/data";

import { cacheFolder, filledOnce } from "./cache.ts";
import { fetchGit } from "./git.ts";
import { parsePlace } from "./place.ts";

/** The folder with the tasks of a place. Repositories and data sets are downloaded into a cache, once for each commit. */
export async function fetchTasks(text: string, workingFolder: string): Promise<string> {
  const place = parsePlace(text);
  if (place.kind === "folder") return resolve(workingFolder, place.folder);
  if (place.kind === "git") return join(await fetchGit(place.url, place.revision), place.folder);
  const { name, revision, folder } = place;
  const { commit, folder: copy, copyInto } = await downloadDataset(name, { revision });
  if (copy !== undefined) return join(copy, folder);
  return join(await filledOnce(cacheFolder(`hf-${name}`, commit!), copyInto), folder);
}
