import { randomUUID } from "node:crypto";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { messageOf } from "@envs/core/engine";
import { createFolder, WriteError } from "@envs/records/node";

import type { Checksum } from "../files/checksum.ts";
import { exists } from "../files/partial-file.ts";

/** A file of a repository. Size and checksum are unknown if Python downloaded it. */
export interface RepositoryFile {
  readonly path: string;
  readonly size?: number | undefined;
  readonly checksum?: Checksum | undefined;
}

/**
 * A dataset in the cache of Python's huggingface_hub, which both languages read and write: `blobs/` has the bytes by checksum,
 * `snapshots/<commit>/` has links to them, `refs/<revision>` has commits. We add `.envs/<commit>.json`, the list of the files of
 * a commit, to recognize incomplete snapshots.
 */
export class DatasetCache {
  readonly #root: string;

  constructor(cache: string, name: string) {
    this.#root = join(cache, `datasets--${name.replace("/", "--")}`);
  }

  blobPath(id: string): string {
    return join(this.#root, "blobs", id);
  }

  snapshotPath(commit: string, path: string): string {
    return join(this.#root, "snapshots", commit, path);
  }

  /** The commit that a revision had when it was last asked for. */
  async commitOf(revision: string): Promise<string | undefined> {
    if (isCommit(revision)) return revision;
    const text = await readFile(join(this.#root, "refs", revision), "utf8").catch(() => "");
    return isCommit(text.trim()) ? text.trim() : undefined;
  }

  async saveCommit(revision: string, commit: string): Promise<void> {
    if (revision !== commit) await this.#write(join("refs", revision), commit);
  }

  /** The files of a commit; without our list, those that Python has downloaded. */
  async filesOf(commit: string): Promise<readonly RepositoryFile[] | undefined> {
    const text = await readFile(this.#listPath(commit), "utf8").catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as RepositoryFile[];
    const folder = this.snapshotPath(commit, "");
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => ({
        path: relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"),
      }));
    return files.length === 0 ? undefined : files;
  }

  async saveFiles(commit: string, files: readonly RepositoryFile[]): Promise<void> {
    await this.#write(relative(this.#root, this.#listPath(commit)), JSON.stringify(files));
  }

  /** Makes a downloaded blob a file of the snapshot. Copies it on file systems without links. */
  async link(blob: string, file: string): Promise<void> {
    if (await exists(file)) return;
    await mkdir(dirname(file), { recursive: true });
    // A rename also replaces a link whose blob was deleted, and never removes that of a concurrent reader.
    const temporary = `${file}.${randomUUID()}.tmp`;
    const source = relative(dirname(file), blob);
    await symlink(source, temporary).catch(() => copyFile(blob, temporary));
    await rename(temporary, file);
  }

  #listPath(commit: string): string {
    return join(this.#root, ".envs", `${commit}.json`);
  }

  /** Writes a file of the cache whole. Throws if the cache cannot be written, because then no file could be downloaded. */
  async #write(path: string, text: string): Promise<void> {
    const target = join(this.#root, path);
    await createFolder(dirname(target));
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, text);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw new WriteError(
        `write ${target}`,
        error,
        `Set HF_HUB_CACHE to another folder (${messageOf(error)}).`,
      );
    }
  }
}

/** Whether a revision is a full commit id, which never changes. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}
