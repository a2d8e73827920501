import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** An npm registry in its own process. Its folder outlives the process. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
}

/** A registry that the benchmark can start. */
export interface RegistryKind {
  readonly name: string;
  /** Starts it with the data in `folder`, and resolves when it answers. */
  start(folder: string): Promise<Registry>;
  /** Creates a user who may publish `@bench/…`, and returns their token. */
  token(registry: Registry): Promise<string>;
}

/** Starts a registry's program and waits until `/-/ping` answers. */
export async function startRegistry(
  port: number,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> | undefined },
): Promise<Registry> {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { ...process.env, NODE_ENV: "production", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output = (output + String(chunk)).slice(-10_000)));
  const exit = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (!(await answersPing(url))) {
    if (child.exitCode !== null) throw new Error(`Cannot start ${args.join(" ")}:\n${output}`);
    await sleep(5);
  }
  return {
    url,
    child,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exit;
    },
  };
}

async function answersPing(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/-/ping`);
    return ok;
  } catch {
    return false;
  }
}

/** Creates an account with npm's password login, and returns its token. */
export async function register(url: string, name: string): Promise<string> {
  const password = "correct horse battery staple";
  const response = await fetch(`${url}/-/user/org.couchdb.user:${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password, email: `${name}@example.com`, type: "user" }),
  });
  const text = await response.text();
  const { token } = JSON.parse(text) as { token?: string };
  if (token === undefined)
    throw new Error(`Creating an account at ${url} failed: ${response.status} ${text}`);
  return token;
}

/** Resident memory of a process in MiB. */
export function residentMemory({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

/** The resident memory of a process and its children, in MiB. */
export function residentMemoryOfTree({ pid }: ChildProcess): number {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" });
  const rows = lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/u).map(Number));
  const kib = rows
    .filter(([id, parent]) => id === pid || parent === pid)
    .reduce((sum, [, , rss = 0]) => sum + rss, 0);
  return kib / 1024;
}
