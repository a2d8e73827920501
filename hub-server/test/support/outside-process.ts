import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server of somebody else's, started for the tests. */
export interface OutsideProcess {
  readonly command: string;
  readonly args: readonly string[];
  /** The user to run as, where not ours. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly env?: NodeJS.ProcessEnv;
  /** What it prints when it can be asked. */
  readonly ready: RegExp;
  /** What ends it at once. */
  readonly signal: "INT" | "QUIT" | "TERM";
  /** Removed when it has ended. */
  readonly folder: string;
}

/**
 * The shell reads from us until we close the pipe, or are killed and the system closes it: in both cases the server ends
 * and its folder goes.
 */
const guard = `
signal=$1; folder=$2; shift 2
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat <&3 >/dev/null; kill -"$signal" "$server"; } 2>/dev/null &
wait "$server"
status=$?
rm -rf "$folder"
exit "$status"
`;

/** Starts a server that ends with this process, however that ends; returns what closes it. */
export async function startOutside(process: OutsideProcess): Promise<() => Promise<void>> {
  const { command, args, user, env, ready, signal, folder } = process;
  const shell = spawn("sh", ["-c", guard, "sh", signal, folder, command, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: folder,
    ...user,
    ...(env && { env }),
  });
  const exit = once(shell, "exit");
  let printed = "";
  const isReady = new Promise<boolean>((resolve) => {
    for (const stream of [shell.stdout, shell.stderr])
      stream.on("data", (chunk) => {
        printed += String(chunk);
        if (ready.test(printed)) resolve(true);
      });
    void exit.then(() => resolve(false));
    setTimeout(() => resolve(false), 60_000).unref();
  });
  const close = async (): Promise<void> => {
    shell.stdin.destroy();
    await exit;
  };
  if (await isReady) return close;
  await close();
  throw new Error(`${command} does not start:\n${printed.trim()}`);
}

/** A folder that `startOutside` removes. */
export async function outsideFolder(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `envs-${name}-`));
}

/** Calls `use` with a folder that goes if it fails. */
export async function orRemove<Result>(
  folder: string,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    throw error;
  }
}

/** A port that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
