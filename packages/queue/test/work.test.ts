import { defineEnvironment, type Model, type Rollout, rollouts } from "@envs/core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { queuedRollouts } from "../src/coordinator.ts";
import { type QueuedRun, QueueUnavailableError, type RunStatus } from "../src/queue.ts";
import { work, type WorkOptions } from "../src/worker.ts";
import { guess, rowsWithoutTimes, seededModel } from "./support/environment.ts";
import { memoryQueue, newRun, type TestQueue } from "./support/queues.ts";

let opened: TestQueue;
beforeAll(async () => void (opened = await memoryQueue()));
afterAll(() => opened[Symbol.asyncDispose]());

const environment = guess();
const size = { examples: 6, rolloutsPerExample: 3, seed: 5 } as const;

/** A worker of this process until `stop()`. */
function worker(options: Partial<WorkOptions> & { readonly model?: Model } = {}) {
  const stop = new AbortController();
  const { model = seededModel, ...rest } = options;
  const done = work(opened.queue, {
    host: "here",
    concurrency: 4,
    prepare: async () => ({
      environment,
      options: { model, rolloutsPerExample: size.rolloutsPerExample, seed: size.seed },
      [Symbol.asyncDispose]: async () => {},
    }),
    signal: stop.signal,
    ...rest,
  });
  const end = async () => {
    stop.abort();
    return await done;
  };
  return { stop: end, [Symbol.asyncDispose]: async () => void (await end()) };
}

async function coordinate(run: QueuedRun, options = {}): Promise<Rollout[]> {
  return await Array.fromAsync(
    queuedRollouts(environment, { queue: opened.queue, run, ...size, ...options }),
  );
}

async function statusOf(run: QueuedRun): Promise<RunStatus | undefined> {
  return (await opened.queue.openRuns()).find(({ id }) => id === run.id);
}

async function leasedOf(run: QueuedRun): Promise<number> {
  return (await statusOf(run))?.leased ?? 0;
}

async function inProcess(): Promise<Rollout[]> {
  return await Array.fromAsync(rollouts(environment, { ...size, model: seededModel }));
}

test("ends at the signal while it searches a long dataset for rollouts that are missing", async () => {
  const long = defineEnvironment({
    name: "long",
    *dataset() {
      for (let index = 0; ; index += 1) yield { prompt: `${index}` };
    },
    rubric: { any: () => 1 },
  });
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  const coordinator = queuedRollouts(long(), {
    queue: opened.queue,
    run: newRun(),
    examples: Infinity,
    skip: () => true,
    signal: stop.signal,
  });
  expect(await Array.fromAsync(coordinator)).toEqual([]);
});

test("plays the same rollouts as one process, except for the times", async () => {
  await using _ = worker();
  await using __ = worker();
  const run = newRun();
  const played = await coordinate(run);
  expect(rowsWithoutTimes(played)).toEqual(rowsWithoutTimes(await inProcess()));
  expect(await opened.queue.state(run.id)).toBe("finished");
});

test("yields every rollout to each of two coordinators", async () => {
  await using _ = worker();
  const run = newRun();
  const [one, two] = await Promise.all([
    coordinate(run, { maxQueued: 3 }),
    coordinate(run, { maxQueued: 9 }),
  ]);
  const expected = rowsWithoutTimes(await inProcess());
  expect(rowsWithoutTimes(one)).toEqual(expected);
  expect(rowsWithoutTimes(two)).toEqual(expected);
});

test("reports to a coordinator that another coordinator has cancelled the run", async () => {
  const run = newRun();
  const never: Model = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  const abort = new AbortController();
  const hanging = worker({ model: Object.assign(never, { id: "never" }), abort: abort.signal });
  const stop = new AbortController();
  const stopped = coordinate(run, { signal: stop.signal });
  const other = coordinate(run);
  await expect.poll(() => leasedOf(run)).toBeGreaterThan(0);
  stop.abort();
  await stopped;
  await expect(other).rejects.toThrow("was cancelled by another process");
  abort.abort();
  await hanging.stop();
});

test("adds the groups again that a database has lost in an outage", async () => {
  const run = newRun();
  let received = 0;
  let hasFailed = false;
  const queue: typeof opened.queue = {
    ...opened.queue,
    async results(...query) {
      if (received < 6 || hasFailed) return await opened.queue.results(...query);
      hasFailed = true;
      // Simulates a database that was restored from a copy.
      await opened.database.query(`delete from envs_queue.runs where id = $1`, [run.id]);
      await opened.database.query(`delete from envs_jobs.job where name = $1`, [`run-${run.id}`]);
      throw new QueueUnavailableError("the server is being replaced");
    },
  };
  await using _ = worker();
  const played: Rollout[] = [];
  for await (const rollout of queuedRollouts(environment, { queue, run, ...size, maxQueued: 6 })) {
    played.push(rollout);
    received += 1;
  }
  expect(hasFailed).toBe(true);
  expect(rowsWithoutTimes(played)).toEqual(rowsWithoutTimes(await inProcess()));
});

test("leases no more groups at once than a worker has room for", async () => {
  const run = newRun();
  const requested: number[] = [];
  const queue: typeof opened.queue = {
    ...opened.queue,
    async lease(request) {
      const response = await opened.queue.lease(request);
      requested.push(response.leases.flatMap(({ group }) => group.rolloutIndices).length);
      return response;
    },
  };
  const stop = new AbortController();
  const coordinator = coordinate(run, { examples: 12 });
  await expect.poll(async () => (await statusOf(run))?.waiting).toBe(12);
  const done = work(queue, {
    host: "here",
    concurrency: 4,
    prepare: async () => ({
      environment,
      options: { model: seededModel, ...size },
      [Symbol.asyncDispose]: async () => {},
    }),
    signal: stop.signal,
  });
  expect(await coordinator).toHaveLength(36);
  stop.abort();
  await done;
  // The worker has room for five rollouts: four that run, and one that waits. Groups have three.
  expect(Math.max(...requested)).toBe(6);
});

test("limits the number of rollouts in the queue", async () => {
  const run = newRun();
  const coordinator = queuedRollouts(environment, {
    queue: opened.queue,
    run,
    ...size,
    examples: Infinity,
    maxQueued: 6,
  });
  await using _ = worker();
  await coordinator.next();
  const enqueued = async () => {
    const [row] = await opened.database.query(
      `select count(*)::int from envs_jobs.job where name = $1`,
      [`run-${run.id}`],
    );
    return row!["count"];
  };
  expect(await enqueued()).toBe(2);
  for (let count = 0; count < 6; count += 1) await coordinator.next();
  expect(await enqueued()).toBeLessThanOrEqual(5);
  await coordinator.return(undefined);
  expect(await opened.queue.state(run.id)).toBe("cancelled");
});

test("leaves a run to other workers if it cannot prepare it, and publishes the reason", async () => {
  const run = newRun();
  const refused = worker({
    prepare: async () => {
      throw new Error("no bubblewrap here");
    },
  });
  const playing = coordinate(run);
  await expect
    .poll(
      async () => (await opened.queue.lease({ ...request, ready: [], refused: [] })).runs.length,
    )
    .toBe(1);
  await using _ = worker();
  expect(await playing).toHaveLength(18);
  const report = await refused.stop();
  expect(report).toMatchObject({
    rollouts: 0,
    refused: [{ runId: run.id, reason: "no bubblewrap here" }],
  });
});
const request = { worker: crypto.randomUUID(), rollouts: 1, signal: AbortSignal.abort() };

test("returns the leases of an immediately stopped worker to others", async () => {
  const abort = new AbortController();
  const run = newRun();
  const started = Promise.withResolvers<void>();
  const hanging = worker({
    abort: abort.signal,
    model: async ({ signal }) => {
      started.resolve();
      return await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    },
  });
  const playing = coordinate(run);
  await started.promise;
  abort.abort();
  expect(await hanging.stop()).toMatchObject({ rollouts: 0 });
  await using _ = worker();
  expect(rowsWithoutTimes(await playing)).toEqual(rowsWithoutTimes(await inProcess()));
});

test("fails the rollouts of a group that twenty workers could not store", async () => {
  const run = newRun();
  const { queue } = opened;
  const broken: typeof queue = {
    ...queue,
    complete: async (lease, rows) => {
      if (rows.length > 0 && lease.group.example.index === 2)
        throw new Error("the row is too long");
      await queue.complete(lease, rows);
    },
  };
  const stop = new AbortController();
  const done = work(broken, {
    host: "here",
    prepare: async () => ({
      environment,
      options: { model: seededModel, ...size },
      [Symbol.asyncDispose]: async () => {},
    }),
    signal: stop.signal,
  });
  const played = await coordinate(run);
  stop.abort();
  await done;
  const failed = played.filter(({ status }) => status === "failed");
  expect(played).toHaveLength(18);
  expect(failed.map(({ exampleIndex }) => exampleIndex)).toEqual([2, 2, 2]);
  expect(failed[0]).toMatchObject({
    error: { code: "worker", message: "No worker could play this rollout: the row is too long" },
  });
});

test("resumes after a coordinator that was killed, without lost or duplicate rollouts", async () => {
  const run = newRun();
  const written = new Map<string, Rollout>();
  const keyOf = ({ exampleKey, rolloutIndex }: Pick<Rollout, "exampleKey" | "rolloutIndex">) =>
    `${exampleKey} ${rolloutIndex}`;
  const skip = (key: Pick<Rollout, "exampleKey" | "rolloutIndex">) => written.has(keyOf(key));
  await using _ = worker();
  // Its cancellation never arrives, as after kill -9.
  const queue = { ...opened.queue, cancel: async () => {} };
  for await (const rollout of queuedRollouts(environment, { queue, run, ...size, maxQueued: 9 })) {
    written.set(keyOf(rollout), rollout);
    if (written.size === 5) break;
  }
  // As `--resume` does: a group with group scores is played again unless all of its rollouts are saved.
  const sizes = Map.groupBy(written.values(), ({ exampleKey }) => exampleKey);
  for (const [key, { exampleKey }] of written)
    if (sizes.get(exampleKey)!.length < 3) written.delete(key);
  for (const rollout of await coordinate(run, { skip })) {
    expect(written.has(keyOf(rollout))).toBe(false);
    written.set(keyOf(rollout), rollout);
  }
  expect(rowsWithoutTimes([...written.values()])).toEqual(rowsWithoutTimes(await inProcess()));
});
