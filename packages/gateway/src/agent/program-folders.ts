import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
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
    // A program that is being killed may still write. The system removes remaining files of this folder.
    rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(
      () => undefined,
    );
  };
  if (signal.aborted) remove();
  else signal.addEventListener("abort", remove, { once: true });
  const folders = { workspace: join(folder, "workspace"), home: join(folder, "home") };
  await Promise.all(Object.values(folders).map((path) => mkdir(path, { recursive: true })));
  return folders;
}

/** Creates a folder that only this user can read. One that another process uses gets a copy with a number. */
async function claimFolder(path: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const folder = copy === 1 ? path : `${path}-${copy}`;
    const owner = join(folder, "owner");
    const isOwn = await create(folder);
    if (!isOwn && !(await isAbandoned(owner))) continue;
    if (!isOwn) {
      // The folder of another user cannot be removed, and is passed over.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      if (!(await create(folder))) continue;
    }
    await writeFile(owner, `${process.pid} ${hostname()}`);
    return folder;
  }
}

async function create(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Whether a process of this machine has left the folder, as a killed one does. */
async function isAbandoned(owner: string): Promise<boolean> {
  const [pid, host] = (await readFile(owner, "utf8").catch(() => "")).split(" ");
  return host === hostname() && !isAlive(Number(pid));
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
