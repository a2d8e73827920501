import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { RolloutError } from "@envs/core";
import { contentHash } from "@envs/core/engine";
import { isAlive } from "@envs/records/node";

/** The folders of a rollout's program. */
export interface ProgramFolders {
  /** The working directory of the program. */
  readonly workspace: string;
  /** The program's `HOME`, with its configuration and sessions. */
  readonly home: string;
}

// The temporary folder of macOS has another path for each user.
const root = process.platform === "darwin" ? "/tmp" : tmpdir();

/**
 * Creates the folders of a seat of a rollout, and removes them when it ends. Their path is the same in each run and on each machine,
 * because programs send it to their models, whose recorded replies name it.
 */
export async function makeFolders(session: string, signal: AbortSignal): Promise<ProgramFolders> {
  const folder = await claimFolder(join(root, `envs-agent-${contentHash(session)}`));
  const remove = (): void => {
    const removal = release(folder).finally(() => removals.delete(folder));
    removals.set(folder, removal);
  };
  if (signal.aborted) remove();
  else signal.addEventListener("abort", remove, { once: true });
  const folders = { workspace: join(folder, "workspace"), home: join(folder, "home") };
  await Promise.all(Object.values(folders).map((path) => mkdir(path, { recursive: true })));
  return folders;
}

/** The folders of this process that are being removed. */
const removals = new Map<string, Promise<void>>();

/** Removes a folder, its owner last: the process may end before, and another one empties a folder whose owner is no more. */
async function release(folder: string): Promise<void> {
  // A program that is being killed may still write.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 };
  try {
    for (const name of await readdir(folder))
      if (!name.startsWith("owner-")) await rm(join(folder, name), options);
    await rm(folder, options);
  } catch {
    await rename(join(folder, ownerFile(process.pid)), join(folder, ownerFile(0))).catch(() => {});
  }
}

/** Creates a folder that only this user can read. One that another process uses gets a copy with a number. */
async function claimFolder(path: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const folder = copy === 1 ? path : `${path}-${copy}`;
    await removals.get(folder);
    if ((await create(folder)) || (await takeOver(folder))) return folder;
  }
}

/** Creates a folder together with its owner. */
async function create(folder: string): Promise<boolean> {
  const made = await mkdtemp(`${folder}-`);
  await writeFile(join(made, ownerFile(process.pid)), "");
  try {
    // Replaces an empty folder, but no other one.
    await rename(made, folder);
    return true;
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** The name of the file that shows to which process of which machine a folder belongs. */
function ownerFile(pid: number): string {
  return `owner-${pid}-${hostname()}`;
}

/** Empties a folder that a process of this machine has left, as a killed one does. Of several that try, one receives it. */
async function takeOver(folder: string): Promise<boolean> {
  try {
    const names = await readdir(folder);
    const owner = names.find((name) => name.startsWith("owner-"));
    const pid = Number(owner?.split("-")[1]);
    if (owner === undefined || owner !== ownerFile(pid) || (pid > 0 && isAlive(pid))) return false;
    await rename(join(folder, owner), join(folder, ownerFile(process.pid)));
    const left = names.filter((name) => name !== owner);
    await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
    return true;
  } catch {
    // Another user's folder, or one that another process has taken over.
    return false;
  }
}

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    if (relative(folder, target).startsWith(".."))
      throw new RolloutError(
        "agent",
        `The file ${path} is outside of the program's folder. Use a path below it.`,
      );
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
}
