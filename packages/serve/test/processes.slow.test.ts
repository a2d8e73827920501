import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, vi } from "vitest";

import type { ServerStatus } from "../src/http/status-routes.ts";
import type { OpenenvSocket } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";
import { test, type TestServer } from "./support/test-server.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const ownConnection = { connection: "close" };
const eventually = { timeout: 30_000, interval: 50 };

async function healthOf({ url }: { readonly url: string }) {
  return (await (await fetch(`${url}/health`)).json()) as ServerStatus;
}

async function reset(server: TestServer): Promise<OpenenvSocket> {
  const socket = await server.openSocket();
  expect((await socket.reset())?.type).toBe("observation");
  return socket;
}

async function pidOf(socket: OpenenvSocket): Promise<number> {
  const reply = await socket.step({ text: "pid" });
  const pid = Number((reply!.data.observation as { readonly text: string }).text);
  await socket.reset();
  return pid;
}

/** The ids of processes whose parent is this process and that serve sessions. */
function children(): number[] {
  const lines = execFileSync("ps", ["-o", "pid=,ppid=,args=", "-A"]).toString().split("\n");
  return lines
    .map((line) => /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s.*processes\/worker\./u.exec(line)?.groups)
    .filter((fields) => Number(fields?.parent) === process.pid)
    .map((fields) => Number(fields!.pid));
}

describe("a process that an environment blocks", () => {
  test("is killed and replaced, while old and new sessions of other processes go on", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2, stepTimeout: 10_000 });
    const looping = await reset(server);
    const other = await reset(server);
    void looping.step({ text: "loop" });
    // New sessions go to the process that answers.
    const added = await Promise.all(Array.from({ length: 20 }, () => reset(server)));
    await vi.waitFor(async () => {
      const { processes, sessions } = await healthOf(server);
      expect(processes).toMatchObject({ ready: 2, blocked: 1 });
      expect(sessions).toMatchObject({ open: 22, stuck: 1 });
    }, eventually);
    for (const socket of [other, ...added])
      expect((await socket.step({ text: "more" }))?.type).toBe("observation");
    expect(await looping.closed).toBe(1006);
    await vi.waitFor(async () => {
      const { processes, sessions } = await healthOf(server);
      expect(processes).toEqual({ ready: 2, blocked: 0, killed: 1, crashed: 0 });
      expect(sessions).toMatchObject({ open: 21, stuck: 0 });
    }, eventually);
    expect((await other.step({ text: "more" }))?.type).toBe("observation");
    expect((await reset(server)).socket.readyState).toBe(WebSocket.OPEN);
  });

  test("loses its sessions of ORS, and later requests for them fail with the code lost", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2, stepTimeout: 1000 });
    const { post } = orsClient(server, "one");
    await post("/create", { split: "train", index: 0 }, ownConnection);
    const call = { name: "respond", input: { text: "loop" } };
    const looping = post("/demanding/call", call, ownConnection).catch(() => undefined);
    await sleep(200);
    // Whether or not it reaches the process of its session.
    const waiting = post("/ping", undefined, ownConnection).catch(() => undefined);
    await Promise.all([looping, waiting]);
    const later = await post("/ping", undefined, ownConnection);
    expect(later.status).toBe(500);
    expect(later.text).toContain("Open another session");
    expect((await post("/create", { split: "train", index: 0 }, ownConnection)).status).toBe(200);
    expect((await post("/ping", undefined, ownConnection)).status).toBe(200);
  });

  test("does not keep a server from closing", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 1 });
    const before = children();
    const socket = await reset(server);
    void socket.step({ text: "loop" });
    await sleep(200);
    await server.close();
    expect(await socket.closed).toBe(1006);
    expect(before).toHaveLength(1);
    expect(children()).toEqual([]);
  }, 60_000);
});

describe("a process that is killed", () => {
  test("loses only its own sessions, and is replaced", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 2 });
    const sockets = [await reset(server), await reset(server)] as const;
    const [first] = [await pidOf(sockets[0])];
    for (let round = 1; round <= 3; round += 1) {
      const victim = await reset(server);
      const pid = await pidOf(victim);
      if (pid === first) continue;
      process.kill(pid, "SIGKILL");
      expect(await victim.closed).toBe(1006);
      await vi.waitFor(async () => {
        expect((await healthOf(server)).processes.ready).toBe(2);
      }, eventually);
    }
    expect((await sockets[0].step({ text: "more" }))?.type).toBe("observation");
    await vi.waitFor(async () => {
      const { processes } = await healthOf(server);
      expect(processes.crashed).toBeGreaterThan(0);
      expect(processes.ready).toBe(2);
      expect(children()).toHaveLength(2);
    }, eventually);
  });

  test("is replaced by a process that gets the connections which the killed one had not received", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 1, stepTimeout: 1000 });
    const looping = await reset(server);
    void looping.step({ text: "loop" });
    await sleep(50);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => server.openSocket()));
    for (const socket of sockets) expect((await socket.reset())?.type).toBe("observation");
    expect(await looping.closed).toBe(1006);
  });
});

describe("a server of processes that closes", () => {
  test("lets a running step end, then closes its sockets with 1001", async ({
    startServer,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), "envs-test-"));
    cleanup.defer(() => rm(folder, { recursive: true }));
    vi.stubEnv("TMPDIR", folder);
    cleanup.defer(() => void vi.unstubAllEnvs());
    const server = await startServer([{ module }], { processes: 2, drain: 30_000 });
    const [running, other] = [await reset(server), await server.openSocket()];
    const step = running.step({ text: "pause" });
    await sleep(100);
    const closing = server.close();
    await vi.waitFor(async () => {
      expect((await fetch(`${server.url}/health`)).status).toBe(503);
    }, eventually);
    expect((await step)?.type).toBe("observation");
    expect(await running.step({ text: "think" })).toMatchObject({ data: { reward: 1 } });
    expect(await running.closed).toBe(1001);
    expect(await other.closed).toBe(1001);
    await closing;
    expect(children()).toEqual([]);
    expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^envs-serve-/u));
  });

  test("ends unfinished episodes when the time is over", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 2, drain: 300 });
    const unfinished = await reset(server);
    await server.close();
    expect(await unfinished.closed).toBe(1001);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow("fetch failed");
  });
});
