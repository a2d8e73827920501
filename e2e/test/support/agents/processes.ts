import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, vi } from "vitest";

/** A model's server in its own process. */
export interface Upstream extends AsyncDisposable {
  readonly url: string;
  readonly port: string;
  /** The number of requests that the upstream has received. */
  readonly requests: () => number;
  /** Ends it with SIGKILL. */
  readonly kill: () => Promise<void>;
}

/** The folder of a test: processes of agents, and whether the upstream replies. */
export interface AgentFolder {
  /** Variables of the command line that plays the agent. */
  readonly variables: Readonly<Record<string, string>>;
  /** The ids of all processes that agents have started, by the id of their program. */
  readonly processes: () => Promise<ReadonlyMap<number, readonly number[]>>;
  /** Waits until all processes have ended. */
  readonly allEnded: () => Promise<void>;
  /** Makes the upstream hold its replies until `release()`. */
  readonly hold: () => Promise<void>;
  readonly release: () => Promise<void>;
  readonly startUpstream: (port?: string) => Promise<Upstream>;
}

export async function agentFolder(path: string): Promise<AgentFolder> {
  const folder = join(path, "processes");
  const held = join(path, "hold");
  await mkdir(folder);
  const processes = async (): Promise<ReadonlyMap<number, readonly number[]>> => {
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    return new Map(
      files.map((file, index) => [Number(file), texts[index]!.split(" ").map(Number)]),
    );
  };
  return {
    variables: { AGENT_PROCESSES: folder },
    processes,
    async allEnded() {
      const ids = [...(await processes()).values()].flat();
      expect(ids.length).toBeGreaterThan(0);
      await vi.waitFor(() => expect(ids.filter(isRunning)).toEqual([]), 120_000);
    },
    hold: () => writeFile(held, ""),
    release: () => rm(held),
    startUpstream: (port) => startUpstream(held, port),
  };
}

async function startUpstream(hold: string, chosen = "0"): Promise<Upstream> {
  const script = join(import.meta.dirname, "upstream.ts");
  const child = spawn(process.execPath, [script, hold, chosen], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  const portOf = (): string | undefined => /port (\d+)/.exec(printed)?.[1];
  const port = await vi.waitUntil(portOf, { timeout: 120_000, interval: 10 });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exit;
  };
  const requests = (): number => printed.split("request").length - 1;
  const url = `http://127.0.0.1:${port}/v1`;
  return { url, port, requests, kill, [Symbol.asyncDispose]: kill };
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
