import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Rollout, rollouts } from "@envs/core";
import { toRow } from "@envs/records";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { queuedRollouts } from "../src/coordinator.ts";
import { httpQueue } from "../src/http/http-queue.ts";
import { leaseServer, type LeaseServerOptions } from "../src/http/lease-server.ts";
import { addToken, tokenFile } from "../src/http/tokens.ts";
import { queueMetrics } from "../src/metrics/queue-metrics.ts";
import type { Group, Lease, PlayedRow, WorkerQueue, WorkerReport } from "../src/queue.ts";
import { work } from "../src/worker.ts";
import { guess, rowsWithoutTimes, seededModel } from "./support/environment.ts";
import { allResults, memoryQueue, newRun, type TestQueue } from "./support/queues.ts";

let opened: TestQueue;
let folder: string;
let tokens: { readonly a: string; readonly b: string };
beforeAll(async () => {
  opened = await memoryQueue();
  folder = await mkdtemp(join(tmpdir(), "envs-"));
  const file = join(folder, "tokens.txt");
  tokens = { a: await addToken(file, "host-a"), b: await addToken(file, "host-b") };
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A server of the queue on a free port. */
async function serve(options: Partial<LeaseServerOptions> = {}) {
  const hostOf = await tokenFile(join(folder, "tokens.txt"));
  const app = leaseServer({
    queue: opened.queue,
    hostOf,
    secret: "secret",
    metrics: () => queueMetrics(opened.queue),
    ...options,
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => app.close());
  return { app, url, a: httpQueue(url, tokens.a), b: httpQueue(url, tokens.b) };
}

const environment = guess();
const size = { examples: 4, rolloutsPerExample: 2, seed: 5 } as const;
const played: Rollout[] = [];
beforeAll(async () => {
  for await (const rollout of rollouts(environment, { ...size, model: seededModel }))
    played.push(rollout);
});

/** The groups of the run in {@link size}, and the right rows of each. */
function groupOf(index: number): Group {
  const rollout = played.find(({ exampleIndex }) => exampleIndex === index)!;
  const { example, exampleKey: key } = rollout;
  return { example: { example, key, index }, block: 0, rolloutIndices: [0, 1] };
}

function rowsOf(index: number): PlayedRow[] {
  return played
    .filter(({ exampleIndex }) => exampleIndex === index)
    .toSorted((a, b) => a.rolloutIndex - b.rolloutIndex)
    .map((rollout) => ({
      rolloutIndex: rollout.rolloutIndex,
      row: JSON.stringify(toRow(rollout)),
    }));
}

/** Opens a run with one group, and leases it. */
async function leaseOne(host: WorkerQueue, index = 0) {
  const run = newRun();
  await opened.queue.start(run);
  await opened.queue.enqueue(run.id, [groupOf(index)]);
  const { leases } = await host.lease(leaseRequest(run.id));
  return { run, lease: leases[0]! };
}

const leaseRequest = (...ready: readonly string[]) => ({
  worker: crypto.randomUUID(),
  ready,
  refused: [],
  rollouts: 1,
  signal: new AbortController().signal,
});

const report = (more: Partial<WorkerReport> = {}): WorkerReport => ({
  id: crypto.randomUUID(),
  host: "me",
  concurrency: 1,
  running: 0,
  rollouts: 0,
  failures: 0,
  ready: [],
  refused: [],
  ...more,
});

test("plays the same rollouts over HTTP as in one process", async () => {
  const { a } = await serve();
  const stop = new AbortController();
  const run = newRun();
  const working = work(a, {
    host: "me",
    prepare: async () => ({
      environment,
      options: { model: seededModel, ...size },
      [Symbol.asyncDispose]: async () => {},
    }),
    signal: stop.signal,
  });
  const received = await Array.fromAsync(
    queuedRollouts(environment, { queue: opened.queue, run, ...size }),
  );
  expect(rowsWithoutTimes(received)).toEqual(rowsWithoutTimes(played));
  expect(await opened.queue.workers()).toMatchObject([{ host: "host-a", isAlive: true }]);
  stop.abort();
  await working;
  expect(await opened.queue.workers()).toEqual([]);
});

test.for<readonly [string, (rows: PlayedRow[]) => PlayedRow[], string]>([
  ["of another example", () => rowsOf(1), "of example"],
  ["without one of its rollouts", (rows) => rows.slice(1), "rollout 0 is missing"],
  ["with a rollout twice", ([first]) => [first!, first!], "comes twice"],
  [
    "with swapped rollouts",
    ([first, second]) => [
      { ...first!, row: second!.row },
      { ...second!, row: first!.row },
    ],
    "rollout index",
  ],
  ["that are not rollouts", (rows) => rows.map((row) => ({ ...row, row: "{}" })), "not a rollout"],
  [
    "of two lines",
    (rows) => rows.map(({ row, ...rest }) => ({ ...rest, row: `${row}\n{}` })),
    "more than one line",
  ],
])("refuses rows %s", async ([, change, problem]) => {
  const { a } = await serve();
  const { run, lease } = await leaseOne(a);
  await expect(a.complete(lease, change(rowsOf(0)))).rejects.toThrow(problem);
  expect(await allResults(opened.queue, run)).toEqual([]);
  await a.complete(lease, rowsOf(0));
  expect(await allResults(opened.queue, run)).toHaveLength(2);
});

test("rejects a lease of another host, and a changed one", async () => {
  const { a, b } = await serve();
  const { run, lease } = await leaseOne(a);
  const other = newRun();
  await opened.queue.start(other);
  const forged: Lease[] = [
    { ...lease, runId: other.id },
    { ...lease, attempt: 1 },
    { ...lease, group: { ...groupOf(1), rolloutIndices: [0, 1] } },
    { ...lease, group: { ...lease.group, rolloutIndices: [0] } },
  ];
  await expect(b.complete(lease, rowsOf(0))).rejects.toThrow("was not given to the host host-b");
  await expect(b.fail(lease, "spite")).rejects.toThrow("409");
  for (const changed of forged) {
    await expect(a.complete(changed, rowsOf(0))).rejects.toThrow("409");
    await expect(a.release([changed])).rejects.toThrow("409");
  }
  expect(await allResults(opened.queue, run)).toEqual([]);
  // A restarted server recognizes the lease by its secret.
  const restarted = await serve();
  await restarted.a.complete(lease, rowsOf(0));
  expect(await allResults(opened.queue, run)).toHaveLength(2);
});

test("ignores the rows of a lost lease after another host has completed the group", async () => {
  const { a, b } = await serve();
  const { run, lease } = await leaseOne(a);
  await opened.queue.release([lease]);
  const { leases } = await b.lease(leaseRequest(run.id));
  expect(leases).toHaveLength(1);
  await b.complete(leases[0]!, rowsOf(0));
  const before = await allResults(opened.queue, run);
  const late = rowsOf(0).map(({ row, ...rest }) => ({ ...rest, row: ` ${row}` }));
  await a.complete(lease, late);
  expect(await allResults(opened.queue, run)).toEqual(before);
});

test("keeps leases by heartbeats, and returns which runs are closed", async () => {
  const { a } = await serve();
  const { run, lease } = await leaseOne(a);
  expect(await a.heartbeat(report({ ready: [run.id] }), [lease])).toEqual({ closed: [] });
  await opened.queue.cancel(run.id);
  expect(await a.heartbeat(report({ ready: [run.id] }), [lease])).toEqual({ closed: [run.id] });
});

test("does not let a host report for the worker of another, or remove it", async () => {
  const { a, b } = await serve();
  const id = crypto.randomUUID();
  await a.heartbeat(report({ id, host: "host-b", rollouts: 3 }), []);
  await b.heartbeat(report({ id, host: "host-a", rollouts: 9 }), []);
  await b.leave(id);
  const workers = await opened.queue.workers();
  expect(workers.filter(({ rollouts }) => rollouts > 0)).toMatchObject([
    { host: "host-a", rollouts: 3 },
  ]);
  await a.leave(id);
});

test("rejects an unknown token and one that was removed from the file, before it reads the body", async () => {
  const { url } = await serve({ bodyLimit: 10 });
  const unknown = httpQueue(url, "envsq_guess");
  await expect(unknown.lease(leaseRequest())).rejects.toThrow(
    /rejected the token.*ENVS_QUEUE_TOKEN/s,
  );
  const file = join(folder, "tokens.txt");
  const added = await addToken(file, "host-c");
  const removed = httpQueue(url, added);
  await expect(removed.leave(crypto.randomUUID())).rejects.toThrow("413");
  const lines = await readFile(file, "utf8");
  expect(lines).not.toContain(added);
  await writeFile(file, lines.replace(/^host-c.*\n/m, ""));
  await expect(removed.leave(crypto.randomUUID())).rejects.toThrow("rejected the token");
});

test("refuses rows that are larger than the limit", async () => {
  const { a } = await serve({ bodyLimit: 4000 });
  const { lease } = await leaseOne(a);
  const rows = rowsOf(0).map(({ row, ...rest }) => ({ ...rest, row: row + " ".repeat(4000) }));
  await expect(a.complete(lease, rows)).rejects.toThrow("413");
});

test("closes the connection of a client that does not finish its headers", async () => {
  const { app } = await serve({ clientTimeout: 100 });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /v1/lease HTTP/1.1\r\nHost: ");
  socket.resume();
  const [hadError] = (await once(socket, "close")) as [boolean];
  expect(hadError).toBe(false);
});

test("gives leases back that a client no longer waits for", async () => {
  const { queue } = opened;
  const slow: WorkerQueue = {
    ...queue,
    async lease(request) {
      const response = await queue.lease(request);
      await once(request.signal, "abort");
      return response;
    },
  };
  const { url } = await serve({ queue: slow });
  const run = newRun();
  await queue.start(run);
  await queue.enqueue(run.id, [groupOf(0)]);
  const controller = new AbortController();
  const waiting = httpQueue(url, tokens.a).lease({
    ...leaseRequest(run.id),
    signal: controller.signal,
  });
  const stateOf = async () => (await queue.openRuns()).find(({ id }) => id === run.id);
  await expect.poll(stateOf).toMatchObject({ leased: 1 });
  controller.abort();
  expect(await waiting).toEqual({ leases: [], runs: [] });
  await expect.poll(stateOf).toMatchObject({ leased: 0, waiting: 1 });
  // A lease that was lost counts as an attempt.
  const { leases } = await queue.lease(leaseRequest(run.id));
  expect(leases).toMatchObject([{ attempt: 0 }]);
});

test("reports a server that cannot be reached as unavailable", async () => {
  const { app, a } = await serve();
  await app.close();
  await expect(a.lease(leaseRequest())).rejects.toMatchObject({ name: "QueueUnavailableError" });
});

test("hides database errors from hosts", async () => {
  const queue: WorkerQueue = {
    ...opened.queue,
    leave: async () => {
      throw new Error("postgres://me:hunter2@db");
    },
  };
  const { a } = await serve({ queue });
  const error = await a.leave(crypto.randomUUID()).catch((reason: unknown) => reason as Error);
  expect(error).toMatchObject({ name: "QueueUnavailableError" });
  expect(String(error)).not.toContain("hunter2");
});

test("has metrics of its runs and workers, for clients with a token", async () => {
  const { url, a } = await serve();
  const { run } = await leaseOne(a);
  await a.heartbeat(report({ running: 2, concurrency: 4 }), []);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${tokens.b}` },
  });
  const text = await response.text();
  expect(text).toContain(`envs_queue_groups{run="${run.id}",state="leased"} 1`);
  expect(text).toMatch(/envs_queue_worker_running\{host="host-a",worker="[^"]+"\} 2/);
});

test.for(["postgres://db", "https://me:secret@host", "https://host?token=secret"])(
  "rejects the address %s without repeating its secrets",
  (address) => {
    expect(() => httpQueue(address, "t")).toThrow(/not valid/);
    expect(() => httpQueue(address, "t")).not.toThrow("secret");
  },
);
