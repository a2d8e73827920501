import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, vi } from "vitest";

import type { ServerStatus } from "../src/http/status-routes.ts";
import type { OpenenvSocket } from "./support/openenv-socket.ts";
import { test, type TestServer } from "./support/test-server.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const eventually = { timeout: 120_000, interval: 50 };
const lost = {
  type: "error",
  data: { message: expect.stringContaining("process of this episode") },
};

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
  return Number((reply!.data.observation as { readonly text: string }).text);
}

/** The ids of processes whose parent is this process and that run episodes. */
function children(): number[] {
  const lines = execFileSync("ps", ["-o", "pid=,ppid=,args=", "-A"]).toString().split("\n");
  return lines
    .map((line) => /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s.*workers\/worker\./u.exec(line)?.groups)
    .filter((fields) => Number(fields?.parent) === process.pid)
    .map((fields) => Number(fields!.pid));
}

describe("a process that an environment blocks", () => {
  test("is killed and replaced, while sessions of other processes continue", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2, stepTimeout: 10_000 });
    const looping = await reset(server);
    const other = await reset(server);
    const loop = looping.step({ text: "loop" });
    await vi.waitFor(async () => {
      const { processes, sessions } = await healthOf(server);
      expect(processes).toMatchObject({ ready: 2, blocked: 1 });
      expect(sessions).toMatchObject({ open: 2, busy: 1 });
    }, eventually);
    const added = await Promise.all(Array.from({ length: 20 }, () => reset(server)));
    for (const socket of [other, ...added])
      expect((await socket.step({ text: "more" }))?.type).toBe("observation");
    expect(await loop).toMatchObject({ type: "error", data: { code: "EXECUTION_ERROR" } });
    await vi.waitFor(async () => {
      const { processes, sessions } = await healthOf(server);
      expect(processes).toEqual({ ready: 2, blocked: 0, killed: 1, crashed: 0 });
      expect(sessions).toMatchObject({ open: 22, busy: 0, stuck: 0 });
    }, eventually);
    for (const socket of [other, ...added])
      expect((await socket.step({ text: "more" }))?.type).toBe("observation");
    expect((await looping.reset())?.type).toBe("observation");
  });

  test("keeps its episodes if it continues within the time limit", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 1 });
    const [busy, other] = [await reset(server), await reset(server)];
    const step = busy.step({ text: "compute" });
    expect((await other.step({ text: "more" }))?.type).toBe("observation");
    expect((await step)?.type).toBe("observation");
    expect((await healthOf(server)).processes).toMatchObject({ killed: 0, crashed: 0 });
  });

  test("does not delay new sessions, even if all processes are blocked", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2, stepTimeout: 600_000 });
    const looping = [await reset(server), await reset(server)];
    let hasEnded = false;
    for (const socket of looping) void socket.step({ text: "loop" }).then(() => (hasEnded = true));
    const added = await Promise.all(Array.from({ length: 5 }, () => reset(server)));
    for (const socket of added)
      expect((await socket.step({ text: "more" }))?.type).toBe("observation");
    expect(hasEnded).toBe(false);
    expect((await healthOf(server)).processes).toMatchObject({ blocked: 2, killed: 0 });
  });

  test("does not keep sessions that were being set up in it", async ({ startServer }) => {
    const server = await startServer([{ module, config: { setup: "wait" } }], {
      processes: 2,
      stepTimeout: 600_000,
    });
    const looping = await reset(server);
    const added = Promise.all(Array.from({ length: 4 }, () => reset(server)));
    await sleep(250);
    void looping.step({ text: "loop" });
    for (const socket of await added)
      expect((await socket.step({ text: "more" }))?.type).toBe("observation");
    expect((await healthOf(server)).processes).toMatchObject({ blocked: 1, killed: 0 });
  });

  test("is one of at most two that the setup of an episode blocks", async ({ startServer }) => {
    const server = await startServer([{ module, config: { setup: "wait and loop" } }], {
      processes: 4,
      stepTimeout: 600_000,
    });
    const looping = await server.openSocket();
    expect(await looping.reset()).toMatchObject(lost);
    expect((await healthOf(server)).processes).toMatchObject({ ready: 4, blocked: 2, killed: 0 });
  });

  test("does not keep a server from closing", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 1 });
    const before = children();
    const socket = await reset(server);
    void socket.step({ text: "loop" });
    await sleep(200);
    await server.close();
    expect(await socket.closed).toBe(1001);
    expect(before).toHaveLength(1);
    expect(children()).toEqual([]);
  });
});

describe("a process that is killed", () => {
  test("loses only its own episodes, keeps all sockets, and is replaced", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2 });
    const [first, second, third] = [await reset(server), await reset(server), await reset(server)];
    const pid = await pidOf(first);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(async () => {
      const { processes } = await healthOf(server);
      expect(processes).toMatchObject({ ready: 2, crashed: 1 });
    }, eventually);
    expect((await second.step({ text: "more" }))?.type).toBe("observation");
    for (const socket of [first, third])
      for (let count = 0; count < 2; count += 1)
        expect(await socket.step({ text: "more" })).toMatchObject(lost);
    for (const socket of [first, third]) expect((await socket.reset())?.type).toBe("observation");
    expect(await pidOf(first)).not.toBe(pid);
    expect(children()).toHaveLength(2);
  });
});

describe("a process that writes to the pipe of the server", () => {
  test.for(["not JSON", "1", "[null]", '[{"kind":"failed"}]'])(
    "ends like one that is killed: %s",
    async (text, { startServer }) => {
      const server = await startServer([{ module }], { processes: 2 });
      const [forging, other] = [await reset(server), await reset(server)];
      expect(await forging.step({ text: `forge ${text}` })).toMatchObject(lost);
      expect((await other.step({ text: "more" }))?.type).toBe("observation");
      expect((await forging.reset())?.type).toBe("observation");
    },
  );
});

describe("a server of processes that closes", () => {
  test("lets a running step end, then closes its sockets with 1001", async ({ startServer }) => {
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
  });

  test("does not wait for episodes whose process has ended", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 1, drain: 600_000 });
    const socket = await reset(server);
    process.kill(await pidOf(socket), "SIGKILL");
    await vi.waitFor(async () => {
      expect((await healthOf(server)).processes.crashed).toBe(1);
    }, eventually);
    await server.close();
    expect(await socket.closed).toBe(1001);
  });

  test("ends unfinished episodes when the time is over", async ({ startServer }) => {
    const server = await startServer([{ module }], { processes: 2, drain: 300 });
    const unfinished = await reset(server);
    await server.close();
    expect(await unfinished.closed).toBe(1001);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow("fetch failed");
  });
});
