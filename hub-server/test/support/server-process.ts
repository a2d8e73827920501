import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isAlive } from "@envs/records/node";

/** A server for all test files of a run. */
export interface Service {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** A program that serves the tests until their run ends. */
export interface ServerProcess {
  readonly command: string;
  readonly args: readonly string[];
  /** Default: the user who runs the tests. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Matches the program's output when it accepts connections. */
  readonly ready: RegExp;
  /** Ends the program without a graceful shutdown. */
  readonly signal: "INT" | "QUIT" | "TERM";
  /** The working directory. Removed after the program has ended. */
  readonly folder: string;
}

/**
 * The shell reads its standard input until the test run closes it, or until the run is killed and the system closes it. In
 * both cases the shell ends the server and removes its folder.
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

/** Starts a server that ends with this process, even if this process is killed. Resolves to a function that closes it. */
export async function startServerProcess(server: ServerProcess): Promise<() => Promise<void>> {
  const { command, args, user, ready, signal, folder } = server;
  const shell = spawn("/bin/sh", ["-c", guard, "sh", signal, folder, command, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd: folder,
    ...user,
  });
  const exit = once(shell, "exit");
  let output = "";
  const isReady = new Promise<boolean>((resolve) => {
    for (const stream of [shell.stdout, shell.stderr])
      stream.on("data", (chunk) => {
        output += String(chunk);
        if (ready.test(output)) resolve(true);
      });
    void exit.catch(() => undefined).then(() => resolve(false));
    setTimeout(() => resolve(false), 60_000).unref();
  });
  const close = async (): Promise<void> => {
    shell.stdin.destroy();
    await exit;
  };
  if (await isReady) return close;
  await close();
  throw new Error(`${command} did not start:\n${output.trim()}`);
}

let removal: Promise<void> | undefined;

/** Removes the folders of processes that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner] = /^envs-[a-z-]+-(\d+)-\w{6}$/.exec(name) ?? [];
    if (owner === undefined || isAlive(Number(owner))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Calls `start` with a new temporary folder, and removes the folder if `start` fails. */
export async function withServerFolder<Result>(
  name: string,
  start: (folder: string) => Promise<Result>,
): Promise<Result> {
  await (removal ??= removeAbandoned());
  const folder = await mkdtemp(join(tmpdir(), `envs-${name}-${process.pid}-`));
  try {
    return await start(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    throw error;
  }
}

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
