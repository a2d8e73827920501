import { FailureError } from "@envs/terminal";
import { x } from "tinyexec";

import type { Place } from "../config/context.ts";

/** A package manager that fetches itself, or waits for an answer, is as good as none. */
const longest = 20_000;

/** Variables with which a manager that stands for another version of itself does not fetch that one. */
const still = {
  COREPACK_ENABLE_NETWORK: "0",
  COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
  COREPACK_ENABLE_STRICT: "0",
  YARN_ENABLE_TELEMETRY: "0",
  pnpm_config_pm_on_fail: "ignore",
  npm_config_update_notifier: "false",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
};

/** Asks a package manager something. Resolves to what it prints; undefined if it is not there, or fails. */
export async function askManager(
  { folder, variables }: Place,
  command: string,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    const { stdout, exitCode } = await x(command, args, {
      nodePath: false,
      timeout: longest,
      nodeOptions: {
        cwd: folder,
        env: { ...variables, ...still },
        stdio: ["ignore", "pipe", "pipe"],
      },
    });
    return exitCode === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** The same, for an answer in JSON. */
export async function askManagerJson(
  place: Place,
  command: string,
  args: readonly string[],
): Promise<unknown> {
  try {
    return JSON.parse((await askManager(place, command, args)) ?? "");
  } catch {
    return undefined;
  }
}

/** How a package manager is to be run. */
export interface RunOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** What it prints goes to standard error: standard output belongs to somebody else. */
  readonly isQuiet?: boolean;
}

/** Has a package manager do something, with the person's terminal. Resolves to its exit code. */
export async function runManager(
  place: Place,
  [command, ...args]: readonly [string, ...string[]],
  { variables = {}, isQuiet = false }: RunOptions = {},
): Promise<number> {
  const run = x(command, args, {
    nodePath: false,
    nodeOptions: {
      cwd: place.folder,
      env: { ...place.variables, ...variables },
      stdio: ["inherit", isQuiet ? process.stderr : "inherit", "inherit"],
    },
  });
  try {
    return (await run).exitCode ?? 1;
  } catch (error) {
    throw new FailureError(`${command} could not be started: ${(error as Error).message}`);
  }
}
