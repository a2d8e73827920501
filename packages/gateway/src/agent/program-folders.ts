import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { RolloutError } from "@envs/core";

/** The folders of a rollout's program. */
export interface ProgramFolders {
  /** The working directory of the program. */
  readonly workspace: string;
  /** The program's `HOME`, with its configuration and sessions. */
  readonly home: string;
}

/** Creates the folders of a rollout, and removes them when it ends. */
export async function makeFolders(signal: AbortSignal): Promise<ProgramFolders> {
  const folder = await mkdtemp(join(tmpdir(), "envs-agent-"));
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
