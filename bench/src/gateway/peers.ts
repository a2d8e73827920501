import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { freePort } from "@envs/hub-server/testing/server-process";

import { virtualEnvironment } from "../../../tooling/src/virtual-environment.ts";

const root = join(import.meta.dirname, "../../..");
const portkeyVersion = "1.15.2";

/** A gateway in its own process, or the upstream itself. */
export interface Contender {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  /** The headers of a request of the n-th rollout. */
  readonly headers: (index: number) => Readonly<Record<string, string>>;
  /** Resident memory, in bytes. */
  readonly memory: () => number;
  readonly close: () => void;
}

export async function startUpstream(tokens: number): Promise<Contender> {
  const child = fork(join(import.meta.dirname, "upstream.ts"), [String(tokens)]);
  const [port] = (await once(child, "message")) as [number];
  return contender("a direct call", child, { origin: `http://127.0.0.1:${port}` });
}

export async function startOurs(upstream: string, rollouts: number): Promise<Contender> {
  const script = join(import.meta.dirname, "ours.ts");
  return startSessions("ours", process.execPath, [script, `${upstream}/v1`, String(rollouts)]);
}

/** A server that passes calls on without reading them: what any gateway costs. */
export async function startProxy(upstream: string): Promise<Contender> {
  const script = join(import.meta.dirname, "proxy.ts");
  return startSessions("a bare proxy", process.execPath, [script, upstream]);
}

/** Needs Python 3.12 with venv as `python3`, or at `ENVS_PYTHON_312`. */
export async function startVerifiers(upstream: string, rollouts: number): Promise<Contender> {
  const python = virtualEnvironment({
    requirements: join(root, "bench/python/interception.txt"),
    folder: join(root, "node_modules/.cache/bench-interception"),
    isComplete: true,
    python: process.env["ENVS_PYTHON_312"] ?? "python3",
  });
  const script = join(import.meta.dirname, "interception_verifiers.py");
  const args = [script, `${upstream}/v1`, String(rollouts)];
  return startSessions("verifiers 0.4.0", python, args);
}

export async function startPortkey(upstream: string): Promise<Contender> {
  const folder = join(root, "node_modules/.cache/bench-portkey");
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--loglevel=error", `--prefix=${folder}`].concat(
      `@portkey-ai/gateway@${portkeyVersion}`,
    ),
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  if (status !== 0) throw new Error("npm cannot install @portkey-ai/gateway. Check the network.");
  const script = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const port = await freePort();
  // Portkey logs each failed call to its standard error.
  const child = spawn(process.execPath, [script, `--port=${port}`, "--headless"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const headers = {
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${upstream}/v1`,
    authorization: "Bearer none",
  };
  for await (const chunk of child.stdout) if (String(chunk).includes("Ready")) break;
  child.stdout.resume();
  return contender(`Portkey ${portkeyVersion}`, child, {
    origin: `http://127.0.0.1:${port}`,
    headers: () => headers,
  });
}

/** Starts a program whose first line of output has its origin and the key of each rollout. */
async function startSessions(
  name: string,
  program: string,
  args: readonly string[],
): Promise<Contender> {
  const child = spawn(program, [...args], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes("\n")) break;
  }
  const { origin, keys } = JSON.parse(printed) as { origin: string; keys: readonly string[] };
  return contender(name, child, {
    origin,
    headers: (index) => ({ authorization: `Bearer ${keys[index % keys.length]}` }),
  });
}

function contender(
  name: string,
  child: ChildProcess,
  rest: Pick<Contender, "origin"> & Partial<Contender>,
): Contender {
  return {
    name,
    pid: child.pid!,
    headers: () => ({}),
    memory: () => residentMemory(child.pid!),
    close: () => child.kill("SIGKILL"),
    ...rest,
  };
}

/** The resident memory of a process. Only Linux has it in a file. */
function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024;
}
