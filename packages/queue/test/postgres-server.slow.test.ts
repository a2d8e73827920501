import { type Rollout, rollouts } from "@envs/core";
import { testNetwork } from "@envs/hub-server/testing/network";
import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { type PostgresServer, startPostgres } from "@envs/hub-server/testing/postgres-server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { queuedRollouts } from "../src/coordinator.ts";
import { openQueue } from "../src/open-queue.ts";
import { connectServer } from "../src/postgres/database.ts";
import { postgresQueue } from "../src/postgres/postgres-queue.ts";
import { jobsOf } from "../src/postgres/schema.ts";
import { work } from "../src/worker.ts";
import { guess, rowsWithoutTimes, seededModel } from "./support/environment.ts";
import { group, lease, newRun } from "./support/queues.ts";

test("completes groups at once although pg-boss has dropped their queue from its cache", async () => {
  await using name = await postgresDatabase();
  const database = await connectServer(name.url, 2);
  await using queue = postgresQueue(database);
  const run = newRun();
  await queue.start(run);
  const groups = Array.from({ length: 8 }, (_, index) => group(`${index}`));
  await queue.enqueue(run.id, groups);
  const leases = await lease(queue, run);
  // Clears the cache, as pg-boss does after a minute.
  await database.boss.updateQueue(jobsOf(run.id), { retryLimit: 2 });
  const complete = leases.map((one) => queue.complete(one, [{ rolloutIndex: 0, row: "{}" }]));
  await Promise.all(complete);
  expect((await queue.results(run.id, { limit: 10 })).rows).toHaveLength(8);
});

test("reads results soon after a worker was cut off in the middle of a transaction", async () => {
  await using name = await postgresDatabase();
  await using network = await testNetwork(name.url);
  const database = await connectServer(network.url, 2);
  await using queue = await openQueue(name.url);
  const run = newRun();
  await queue.start(run);
  await queue.enqueue(run.id, [group("a")]);
  const cutOff = database.transaction(async (db) => {
    await db.executeSql("select pg_current_xact_id()");
    network.hang();
    await db.executeSql("select 1");
  });
  cutOff.catch(() => {});
  const [leased] = await lease(queue, run);
  await queue.complete(leased!, [{ rolloutIndex: 0, row: "{}" }]);
  await vi.waitUntil(async () => (await queue.results(run.id, { limit: 1 })).rows.length === 1, {
    timeout: 120_000,
  });
  network.restore();
  await expect(cutOff).rejects.toThrow("Connection terminated");
  await database[Symbol.asyncDispose]();
});

describe("PostgreSQL that is killed", () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.close());

  test("plays the same rollouts for two coordinators as one process does", async () => {
    const environment = guess();
    const size = { examples: 40, rolloutsPerExample: 3, seed: 5 };
    const run = newRun();
    const stop = new AbortController();
    const played: Rollout[][] = [[], []];
    const outages = new Set<string>();
    const seen = (name: string) => ({ onUnavailable: () => void outages.add(name) });
    const workers = [1, 2].map(async (index) => {
      await using queue = await openQueue(server.url);
      return await work(queue, {
        host: `host-${index}`,
        concurrency: 4,
        prepare: async () => ({
          environment,
          options: { model: seededModel, ...size },
          [Symbol.asyncDispose]: async () => {},
        }),
        signal: stop.signal,
        ...seen("worker"),
      });
    });
    const halfway = Promise.withResolvers<void>();
    const restarted = Promise.withResolvers<void>();
    const coordinators = played.map(async (received) => {
      await using queue = await openQueue(server.url);
      const options = { queue, run, ...size, maxQueued: 12, ...seen("coordinator") };
      for await (const rollout of queuedRollouts(environment, options)) {
        received.push(rollout);
        if (received.length === 30) halfway.resolve();
      }
    });
    await halfway.promise;
    await server.kill();
    setTimeout(() => void server.restart().then(restarted.resolve, restarted.reject), 1500);
    await Promise.all([...coordinators, restarted.promise]);
    stop.abort();
    await Promise.all(workers);
    expect([...outages].toSorted()).toEqual(["coordinator", "worker"]);
    const alone = await Array.fromAsync(rollouts(environment, { ...size, model: seededModel }));
    for (const received of played)
      expect(rowsWithoutTimes(received)).toEqual(rowsWithoutTimes(alone));
  });

  test("opens a queue once the server runs", async () => {
    await server.kill();
    const reasons: string[] = [];
    const opening = openQueue(server.url, {
      onUnavailable: ({ message }) => void reasons.push(message),
    });
    // An attempt that began before the kill may fail in another way.
    await vi.waitUntil(() => reasons.some((reason) => reason.includes("ECONNREFUSED")), {
      timeout: 120_000,
    });
    await server.restart();
    await using queue = await opening;
    expect(await queue.state(crypto.randomUUID())).toBeUndefined();
  });

  test("stops waiting for a server that does not start", async () => {
    await expect(openQueue("postgres://envs@127.0.0.1:1/envs", { waitMs: 600 })).rejects.toThrow(
      /^Cannot open the queue postgres:\/\/.*127\.0\.0\.1:1\/envs: .*ECONNREFUSED.* did not answer for 1 seconds\. Check that PostgreSQL runs/s,
    );
  });

  test("does not wait for a database that does not exist", async () => {
    const onUnavailable = vi.fn<() => void>();
    const url = server.url.replace(/postgres$/, "missing");
    await expect(openQueue(url, { onUnavailable })).rejects.toThrow(
      'database "missing" does not exist',
    );
    expect(onUnavailable).not.toHaveBeenCalled();
  });
});
