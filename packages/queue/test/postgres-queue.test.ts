import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { groupId } from "../src/group.ts";
import type { Cursor, Lease, ResultRow } from "../src/queue.ts";
import { allResults, group, lease, memoryQueue, newRun, type TestQueue } from "./support/queues.ts";

let opened: TestQueue;
beforeAll(async () => void (opened = await memoryQueue()));
afterAll(() => opened[Symbol.asyncDispose]());

async function started(plan?: string) {
  const { queue } = opened;
  const run = newRun(plan);
  await queue.start(run);
  return { queue, run };
}

test("leases a group once, even if it is enqueued several times", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a", [0, 1]), group("b")]);
  await queue.enqueue(run.id, [group("b"), group("a", [1])]);
  const leases = await lease(queue, run);
  const indices = leases.map(({ group: { example, rolloutIndices } }) => [
    example.key,
    rolloutIndices,
  ]);
  expect(Object.fromEntries(indices)).toEqual({ a: [0, 1], b: [0] });
  await queue.enqueue(run.id, [group("a", [0, 1])]);
  expect(await lease(queue, run)).toEqual([]);
});

test("keeps the order of the keys of an example, and characters that PostgreSQL rejects", async () => {
  const { queue, run } = await started();
  const example = { prompt: "x\0\\u0000\uD800", id: "z", bb: 1, a: { c: 1.0, b: [] } };
  await queue.enqueue(run.id, [{ ...group("a"), example: { key: "k\0", index: 7, example } }]);
  const [leased] = await lease(queue, run);
  expect(JSON.stringify(leased!.group.example)).toBe(
    JSON.stringify({ key: "k\0", index: 7, example }),
  );
  await queue.complete(leased!, [{ rolloutIndex: 0, row: '{"reply":"\\u0000"}' }]);
  expect(await allResults(queue, run)).toMatchObject([{ row: '{"reply":"\\u0000"}' }]);
});

test("keeps the rows that arrive first if two workers played a group", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a", [0, 1])]);
  const [leased] = await lease(queue, run);
  const rows = (text: string) => [0, 1].map((rolloutIndex) => ({ rolloutIndex, row: text }));
  await queue.complete(leased!, rows("first"));
  await queue.complete(leased!, rows("second"));
  expect(await allResults(queue, run)).toEqual(
    [0, 1].map((rolloutIndex) => ({
      groupId: groupId(run.id, group("a")),
      rolloutIndex,
      row: "first",
    })),
  );
});

test("leases a group again after a failed attempt, and fails its rollouts after twenty", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a", [0, 1])]);
  for (const attempt of Array(20).keys()) {
    const [leased] = await lease(queue, run);
    expect(leased!.attempt).toBe(attempt);
    await queue.fail(leased!, "the disk is full");
  }
  expect(await lease(queue, run)).toEqual([]);
  expect(await queue.results(run.id, { limit: 10 })).toMatchObject({
    rows: [
      { rolloutIndex: 0, failure: "the disk is full" },
      { rolloutIndex: 1, failure: "the disk is full" },
    ],
  });
});

test("keeps a group a suspect when it is given back", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a")]);
  const [fresh] = await lease(queue, run);
  expect(fresh).toMatchObject({ isSuspect: false });
  await queue.fail(fresh!, "lost");
  const [suspect] = await lease(queue, run);
  await queue.release([suspect!]);
  expect(await lease(queue, run)).toMatchObject([{ attempt: 0, isSuspect: true }]);
});

test("does not count a lease that was given back as an attempt", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a")]);
  for (let times = 0; times < 5; times += 1) {
    const [leased] = await lease(queue, run);
    expect(leased!.attempt).toBe(0);
    await queue.release([leased!]);
  }
});

test("leases the group of a worker without heartbeats to another", async () => {
  const { queue, run } = await started();
  const { database } = opened;
  await queue.enqueue(run.id, [group("a"), group("b")]);
  const [lost, held] = await lease(queue, run);
  await database.query(
    `update envs_jobs.job set heartbeat_on = now() - interval '16 seconds' where state = 'active'`,
  );
  const report = {
    id: crypto.randomUUID(),
    host: "h",
    concurrency: 1,
    running: 1,
    ready: [run.id],
  };
  await queue.heartbeat({ ...report, rollouts: 0, failures: 0, refused: [] }, [held!]);
  await database.query(`update envs_jobs.queue set monitor_on = null`);
  await database.boss.supervise();
  expect(await lease(queue, run)).toMatchObject([{ id: lost!.id, attempt: 1 }]);
});

test("offers open runs to workers that have neither tried nor refused them", async () => {
  const { queue, run } = await started("plan");
  const offered = async (ready: readonly string[], refused: readonly string[]) => {
    const request = { worker: crypto.randomUUID(), rollouts: 1, signal: AbortSignal.abort() };
    const { runs } = await queue.lease({ ...request, ready, refused });
    return runs.some(({ id }) => id === run.id);
  };
  expect(await offered([], [])).toBe(true);
  expect(await offered([run.id], [])).toBe(false);
  expect(await offered([], [run.id])).toBe(false);
  await queue.cancel(run.id);
  expect(await offered([], [])).toBe(false);
});

test("reports a cancelled run at the next heartbeat of its workers, and drops its rows", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a")]);
  const [leased] = await lease(queue, run);
  await queue.cancel(run.id);
  const report = {
    id: crypto.randomUUID(),
    host: "h",
    concurrency: 1,
    running: 1,
    ready: [run.id],
  };
  const beat = await queue.heartbeat({ ...report, rollouts: 0, failures: 0, refused: [] }, [
    leased!,
  ]);
  expect(beat.closed).toEqual([run.id]);
  await queue.complete(leased!, [{ rolloutIndex: 0, row: "late" }]);
  expect(await allResults(queue, run)).toEqual([]);
  expect(await queue.state(run.id)).toBe("cancelled");
});

test("rejects a run with another plan, and a closed run", async () => {
  const { queue, run } = await started("one");
  await queue.start(run);
  await expect(queue.start({ ...run, plan: "two" })).rejects.toThrow("another plan");
  await queue.finish(run.id);
  await expect(queue.start(run)).rejects.toThrow("is finished");
});

test("wakes a reader that waits for results", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a")]);
  const [leased] = await lease(queue, run);
  const reading = queue.results(run.id, { limit: 1 });
  await queue.complete(leased!, [{ rolloutIndex: 0, row: "row" }]);
  const { rows, cursor } = await reading;
  expect(rows).toMatchObject([{ row: "row" }]);
  const rest = await queue.results(run.id, {
    after: cursor,
    limit: 1,
    signal: AbortSignal.abort(),
  });
  expect(rest).toEqual({ rows: [], cursor });
});

test("returns the rows in the order of their transactions, also when transaction numbers get more digits", async () => {
  const numbers = fc.uniqueArray(fc.constantFrom(8, 9, 10, 11, 98, 99, 100, 101, 199), {
    minLength: 2,
  });
  await fc.assert(
    fc.asyncProperty(numbers, fc.integer({ min: 1, max: 4 }), async (transactions, limit) => {
      const { queue, run } = await started();
      const groups = transactions.map((transaction) => group(`${transaction}`, [0, 1]));
      await queue.enqueue(run.id, groups);
      for (const leased of await lease(queue, run))
        await queue.complete(
          leased,
          [0, 1].map((rolloutIndex) => ({ rolloutIndex, row: leased.group.example.key })),
        );
      // The first numbers of a new database, which the tables above have used.
      for (const transaction of transactions)
        await opened.database.query(
          `update envs_queue.results set transaction = $3::text::xid8 where run_id = $1 and group_id = $2`,
          [run.id, groupId(run.id, group(`${transaction}`)), transaction],
        );
      const read: ResultRow[] = [];
      for (let after: Cursor | undefined; ;) {
        const query = { after, limit, signal: AbortSignal.abort() };
        const { rows, cursor } = await queue.results(run.id, query);
        if (rows.length === 0) break;
        read.push(...rows);
        after = cursor;
      }
      const expected = transactions
        .toSorted((a, b) => a - b)
        .flatMap((transaction) => [0, 1].map((index) => `${transaction} ${index}`));
      expect(read.map((row) => "row" in row && `${row.row} ${row.rolloutIndex}`)).toEqual(expected);
    }),
    { numRuns: 10 },
  );
});

test("returns every rollout once under any order of enqueuing, leasing, losing and completing", async () => {
  const groups = ["a", "b", "c"].map((key) => group(key, [0, 1]));
  const step = fc.record({
    act: fc.constantFrom("enqueue", "lease", "complete", "complete again", "release", "fail"),
    which: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
      const { queue, run } = await started();
      const held: Lease[] = [];
      const completed: Lease[] = [];
      const complete = async (leased: Lease): Promise<void> => {
        const { rolloutIndices } = leased.group;
        completed.push(leased);
        await queue.complete(
          leased,
          rolloutIndices.map((rolloutIndex) => ({ rolloutIndex, row: `${leased.attempt}` })),
        );
      };
      for (const { act, which } of steps) {
        if (act === "enqueue") await queue.enqueue(run.id, groups.slice(which));
        if (act === "lease") held.push(...(await lease(queue, run, which + 1)));
        if (act === "complete again" && completed.length > 0)
          await complete(completed[which % completed.length]!);
        if (act === "enqueue" || act === "lease" || act === "complete again") continue;
        const [leased] = held.splice(which, 1);
        if (leased === undefined) continue;
        if (act === "complete") await complete(leased);
        if (act === "release") await queue.release([leased]);
        if (act === "fail") await queue.fail(leased, "the disk is full");
      }
      await queue.enqueue(run.id, groups);
      await queue.release(held);
      for (
        let leases = await lease(queue, run);
        leases.length > 0;
        leases = await lease(queue, run)
      )
        for (const leased of leases) await complete(leased);
      const results = await allResults(queue, run);
      const keys = results.map(({ groupId: id, rolloutIndex }) => `${id} ${rolloutIndex}`);
      const expected = groups.flatMap((one) =>
        [0, 1].map((index) => `${groupId(run.id, one)} ${index}`),
      );
      expect(keys.toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 12 },
  );
});

test("removes a run with its jobs and rows, and does nothing for a run that it does not have", async () => {
  const { queue, run } = await started();
  await queue.enqueue(run.id, [group("a"), group("b")]);
  const [leased] = await lease(queue, run, 1);
  await queue.complete(leased!, [{ rolloutIndex: 0, row: "{}" }]);
  await queue.finish(run.id);
  await queue.remove(run.id);
  await queue.remove(run.id);
  expect(await queue.state(run.id)).toBeUndefined();
  for (const table of ["envs_queue.results", "envs_queue.blobs"])
    expect(await opened.database.query(`select from ${table} where run_id = $1`, [run.id])).toEqual(
      [],
    );
  expect(
    await opened.database.query(`select from envs_jobs.job where name like $1`, [`%${run.id}`]),
  ).toEqual([]);
  // The same run again, as a training that was killed starts it.
  await queue.start(run);
  await queue.enqueue(run.id, [group("a")]);
  expect(await lease(queue, run)).toHaveLength(1);
});
