import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { afterEach, describe, expect, test, vi } from "vitest";

import { start } from "./support/command-line.ts";

const demanding = join(import.meta.dirname, "../../packages/serve/test/fixtures/demanding.ts");
const eventually = { timeout: 120_000, interval: 100 };

let command: ChildProcess;
let url: string;

async function serve(...args: readonly string[]): Promise<void> {
  command = start(["serve", demanding, "--port", "0", "--json", ...args], {});
  const [line] = (await once(command.stdout!, "data")) as [Buffer];
  ({ ors: url } = JSON.parse(String(line)) as { readonly ors: string });
}

afterEach(() => command.kill("SIGKILL"));

/** Opens a socket, and returns a function that sends a frame and resolves to the response's data. */
async function play() {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  await once(socket, "open");
  const send = async (type: string, data: object) => {
    socket.send(JSON.stringify({ type, data }));
    const [{ data: text }] = (await once(socket, "message")) as [MessageEvent<string>];
    return (JSON.parse(text) as { readonly data: Readonly<Record<string, unknown>> }).data;
  };
  const closed = once(socket, "close").then(([event]) => (event as CloseEvent).code);
  await send("reset", {});
  return { send, closed };
}

/** The processes of Node that the command has started. It also starts a shell that counts interrupts. */
function childrenOf({ pid }: ChildProcess): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="]).toString().trim().split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, parent, program]) => Number(parent) === pid && program !== "sh")
    .map(([child]) => Number(child));
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("envs serve", () => {
  test("lets episodes end after SIGTERM, closes sockets with 1001, and ends its processes", async () => {
    await serve("--processes", "2", "--drain", "60");
    const processes = childrenOf(command);
    expect(processes).toHaveLength(2);
    const { send, closed } = await play();
    command.kill("SIGTERM");
    await vi.waitFor(async () => {
      const refused = await fetch(`${url}/reset`, { method: "POST" });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    }, eventually);
    expect(await send("step", { text: "more" })).toMatchObject({ done: false });
    expect(await send("step", { text: "think" })).toMatchObject({ done: true, reward: 1 });
    expect(await closed).toBe(1001);
    expect(await once(command, "exit")).toEqual([0, null]);
    expect(processes.filter(isRunning)).toEqual([]);
  });

  test("exits at once after a second SIGTERM, with all its processes", async () => {
    await serve("--processes", "2", "--drain", "600");
    const processes = childrenOf(command);
    const { closed } = await play();
    command.kill("SIGTERM");
    await vi.waitFor(async () => {
      expect((await fetch(`${url}/health`)).status).toBe(503);
    }, eventually);
    command.kill("SIGTERM");
    expect(await once(command, "exit")).toEqual([1, null]);
    expect(await closed).toBe(1006);
    await vi.waitFor(() => expect(processes.filter(isRunning)).toEqual([]), eventually);
  });

  test("ends its processes if it is killed, even one that an environment blocks", async () => {
    await serve("--processes", "2");
    const processes = childrenOf(command);
    const { send } = await play();
    send("step", { text: "loop" }).catch(() => undefined);
    await vi.waitFor(async () => {
      const health = (await (await fetch(`${url}/health`)).json()) as {
        readonly processes: { readonly blocked: number };
      };
      expect(health.processes.blocked).toBe(1);
    }, eventually);
    command.kill("SIGKILL");
    await vi.waitFor(() => expect(processes.filter(isRunning)).toEqual([]), eventually);
  });
});
