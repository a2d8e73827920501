import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { copyOf } from "./hub/copy.ts";
import { referenceOf } from "./hub/reference.ts";
import { openRepository } from "./hub/repository.ts";

/** Options of {@link downloadDataset}. */
export interface DownloadOptions {
  /** A branch, a tag or a commit. Default `main`. */
  readonly revision?: string | undefined;
}

/** All files of a dataset at one commit, or in a copy on this machine. */
export interface DatasetFiles {
  /** `undefined` for a copy, as `ENVS_DATASETS` names them. */
  readonly commit: string | undefined;
  /** The folder of a copy. */
  readonly folder: string | undefined;
  readonly paths: readonly string[];
  /** Writes the files into a folder, and downloads those that the cache of huggingface_hub lacks. */
  copyInto(this: void, folder: string): Promise<void>;
}

const parallel = 8;

/**
 * Lists the files of a dataset of the Hugging Face Hub, of any format. For datasets whose files are not rows. Throws a
 * `ConfigError` like `huggingFace`.
 */
export async function downloadDataset(
  name: string,
  { revision }: DownloadOptions = {},
): Promise<DatasetFiles> {
  const dataset = referenceOf(name, revision);
  const repository = (await copyOf(dataset)) ?? (await openRepository(dataset));
  const { commit, folder: copy, paths, fileOf } = repository;
  return {
    commit,
    folder: copy,
    paths,
    async copyInto(folder) {
      const rest = [...paths];
      const work = async (): Promise<void> => {
        for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
          const target = join(folder, path);
          const source = await fileOf(path).path();
          await mkdir(dirname(target), { recursive: true });
          await copyFile(source, target);
        }
      };
      await Promise.all(Array.from({ length: parallel }, work));
    },
  };
}
