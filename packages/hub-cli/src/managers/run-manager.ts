import { FailureError } from "@envs/cli/kit";
import { x } from "tinyexec";

import type { CommandContext } from "../config/context.ts";

/** A package manager that downloads itself or waits for input counts as not installed. */
const timeoutMs = 20_000;

/** Stops a package manager from downloading another version of itself, and from colouring its output. */
const queryVariables = {
  COREPACK_ENABLE_NETWORK: "0",
  COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
  COREPACK_ENABLE_STRICT: "0",
  YARN_ENABLE_TELEMETRY: "0",
  pnpm_config_pm_on_fail: "ignore",
  npm_config_update_notifier: "false",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
};

/** Runs a package manager and returns its stdout; undefined if it is not installed or fails. */
export async function queryManager(
  { folder, variables }: CommandContext,
  command: string,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    const { stdout, exitCode } = await x(command, args, {
      nodePath: false,
      timeout: timeoutMs,
      nodeOptions: {
        cwd: folder,
        env: { ...variables, ...queryVariables },
        stdio: ["ignore", "pipe", "pipe"],
      },
    });
    return exitCode === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Like `queryManager`, for JSON; undefined if the output is not JSON. */
export async function queryManagerJson(
  context: CommandContext,
  command: string,
  args: readonly string[],
): Promise<unknown> {
  try {
    return JSON.parse((await queryManager(context, command, args)) ?? "");
  } catch {
    return undefined;
  }
}

/** Options of `runManager`. */
export interface RunOptions {
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Redirects the package manager's stdout to stderr, so that stdout contains only our JSON. */
  readonly isQuiet?: boolean | undefined;
}

/** Runs a package manager in the user's terminal. Returns its exit code. */
export async function runManager(
  context: CommandContext,
  [command, ...args]: readonly [string, ...string[]],
  { variables = {}, isQuiet = false }: RunOptions = {},
): Promise<number> {
  const run = x(command, args, {
    nodePath: false,
    nodeOptions: {
      cwd: context.folder,
      env: { ...context.variables, ...variables },
      stdio: ["inherit", isQuiet ? process.stderr : "inherit", "inherit"],
    },
  });
  try {
    return (await run).exitCode ?? 1;
  } catch (error) {
    throw new FailureError(`Cannot start ${command}: ${(error as Error).message}`);
  }
}
