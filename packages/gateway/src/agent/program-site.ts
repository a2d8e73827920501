import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import type { AgentContext } from "./agent-run.ts";
import { hostCommand } from "./host-command.ts";
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

export interface CommandSettings {
  readonly env: Readonly<Record<string, string>>;
  /** Default: the workspace. */
  readonly cwd?: string | undefined;
  readonly stdin: string | Readable;
  readonly onOutput: (stream: "stdout" | "stderr", data: Uint8Array) => void;
  readonly signal: AbortSignal;
}

/** The end of a command. The agent's time may have ended it. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly timedOut: boolean;
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
  /** The program with its arguments, after it has come in. */
  readonly argvOf: (run: ProgramRun) => Promise<readonly string[]>;
  /** Runs a command as the agent until it ends, the agent's time is over, or it is cancelled. */
  readonly command: (argv: readonly string[], settings: CommandSettings) => Promise<CommandEnd>;
  /** Records the files that change while the agent works. */
  readonly watch: (work: () => Promise<string>) => Promise<string>;
}

/** Folders of this computer, for a seat of a rollout. */
export async function hostSite({
  session,
  signal,
}: Pick<AgentContext, "session" | "signal">): Promise<ProgramSite> {
  const folders = await makeFolders(session, signal);
  const { home, workspace } = folders;
  const own = { PATH: process.env["PATH"] ?? "", HOME: home };
  return {
    folders,
    isMachine: false,
    reach: async (origin) => origin,
    write: (folder, files) => writeFiles(folders[folder], files),
    read: (path) => readFile(join(home, path), "utf8"),
    run: ({ command, args, env, ...options }) =>
      runProgram(command, args, { ...options, workspace, env: { ...own, ...env } }),
    argvOf: async ({ command, args }) => [command, ...args],
    command: (argv, { env, cwd = workspace, ...settings }) =>
      hostCommand(argv, { ...settings, cwd, env: { ...own, ...env } }),
    watch: (work) => work(),
  };
}
