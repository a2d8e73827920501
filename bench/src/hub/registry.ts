import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** An npm registry in its own process, with a folder that survives restarts. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
}

/** The options and accounts of a registry. */
export interface RegistryKind {
  readonly name: string;
  /** Starts it on a folder, and resolves when it answers. */
  start(folder: string): Promise<Registry>;
  /** A token of a user who may publish `@bench/…`. */
  token(registry: Registry): Promise<string>;
}

/** Starts a registry's program and waits until it answers a ping. */
export async function startRegistry(
  port: number,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Registry> {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { ...process.env, NODE_ENV: "production", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (printed = (printed + String(chunk)).slice(-10_000)));
  const exit = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} does not start:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
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

async function answers(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${url}/-/ping`);
    return ok;
  } catch {
    return false;
  }
}

/** Makes an account as npm's password login does, and returns its token. */
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
    throw new Error(`${url} cannot create an account: it returned ${response.status} ${text}`);
  return token;
}

/** MiB that a process has in memory. */
export function residentMemory({ pid }: ChildProcess): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
