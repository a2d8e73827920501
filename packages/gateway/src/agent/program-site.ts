import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { AgentContext } from "./agent-run.ts";
import { makeFolders, type ProgramFolders, writeFiles } from "./program-folders.ts";
import { runProgram } from "./run-program.ts";

/** One run of a program. */
export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** How to install the command, for the error if it is missing. */
  readonly install: string | undefined;
  readonly signal: AbortSignal;
}

/** Where a program runs: on this computer, or in the machine of its rollout. */
export interface ProgramSite {
  readonly folders: ProgramFolders;
  readonly isMachine: boolean;
  /** Where the program finds a server of this computer. */
  readonly reach: (origin: string) => Promise<string>;
  readonly write: (
    folder: keyof ProgramFolders,
    files: Readonly<Record<string, string>>,
  ) => Promise<void>;
  /** Reads a file of the home folder. */
  readonly read: (path: string) => Promise<string>;
  /** Runs the program to its end, and resolves to its standard output. */
  readonly run: (run: ProgramRun) => Promise<string>;
}

/** Folders of this computer, for a seat of a rollout. */
export async function hostSite({
  session,
  signal,
}: Pick<AgentContext, "session" | "signal">): Promise<ProgramSite> {
  const folders = await makeFolders(session, signal);
  const { home, workspace } = folders;
  return {
    folders,
    isMachine: false,
    reach: async (origin) => origin,
    write: (folder, files) => writeFiles(folders[folder], files),
    read: (path) => readFile(join(home, path), "utf8"),
    run: ({ command, args, env, ...options }) =>
      runProgram(command, args, {
        ...options,
        workspace,
        env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
      }),
  };
}
