import fc from "fast-check";
import { expect, test } from "vitest";

import { pool } from "../../src/run/pool.ts";

const pause = (milliseconds = 0): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const ascending = (a: number, b: number): number => a - b;

test("processes every item once, in order, within the limit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 4 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (ticks, limit, isSlow) => {
        const started: number[] = [];
        let running = 0;
        let most = 0;
        const work = async (index: number): Promise<number> => {
          started.push(index);
          running += 1;
          most = Math.max(most, running);
          for (let tick = 0; tick < ticks[index]!; tick += 1) await Promise.resolve();
          running -= 1;
          return index;
        };
        const finished: number[] = [];
        for await (const index of pool(ticks.keys(), limit, work)) {
          finished.push(index);
          if (isSlow) await pause();
        }
        expect(most).toBeLessThanOrEqual(limit);
        expect(started).toEqual([...ticks.keys()]);
        expect(finished.toSorted(ascending)).toEqual([...ticks.keys()]);
      },
    ),
  );
});

test("uses the full limit", async () => {
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await pause(1);
    running -= 1;
  };
  await collect(pool(Array(50).keys(), 7, work));
  expect(most).toBe(7);
});

test("yields results in the order of completion", async () => {
  const results = await collect(
    pool([30, 1, 15], 3, async (milliseconds) => {
      await pause(milliseconds);
      return milliseconds;
    }),
  );
  expect(results).toEqual([1, 15, 30]);
});

test("reads an infinite source only while a slot is free", async () => {
  let itemsRead = 0;
  const endless = function* (): Generator<number> {
    for (;;) yield (itemsRead += 1);
  };
  const seen: number[] = [];
  for await (const item of pool(endless(), 3, (item) => Promise.resolve(item))) {
    seen.push(item);
    if (seen.length === 20) break;
  }
  const after = itemsRead;
  await pause(5);
  expect(itemsRead).toBe(after);
  expect(itemsRead).toBeLessThanOrEqual(20 + 3 * 3);
});

test("does not start new work for an idle consumer", async () => {
  let started = 0;
  const work = (item: number): Promise<number> => {
    started += 1;
    return Promise.resolve(item);
  };
  const results = pool(Array(1000).keys(), 4, work);
  await results.next();
  await pause(10);
  expect(started).toBeLessThanOrEqual(3 * 4);
  expect(await collect(results)).toHaveLength(999);
});

test("yields the started work before the source's error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 8 }), async (count, limit) => {
      const source = async function* (): AsyncGenerator<number> {
        for (let item = 0; item < count; item += 1) yield item;
        throw new Error("out of rows");
      };
      const seen: number[] = [];
      const consume = async (): Promise<void> => {
        for await (const item of pool(source(), limit, (item) => pause().then(() => item)))
          seen.push(item);
      };
      await expect(consume()).rejects.toThrow("out of rows");
      expect(seen.toSorted(ascending)).toEqual([...Array(count).keys()]);
    }),
    { numRuns: 30 },
  );
});

test("starts nothing after an error and yields the running work first", async () => {
  const started: number[] = [];
  const seen: number[] = [];
  const work = async (item: number): Promise<number> => {
    started.push(item);
    if (item === 2) throw new Error("broken");
    await pause(2);
    return item;
  };
  const consume = async (): Promise<void> => {
    for await (const item of pool(Array(100).keys(), 3, work)) seen.push(item);
  };
  await expect(consume()).rejects.toThrow("broken");
  expect(seen.toSorted(ascending)).toEqual([0, 1]);
  expect(started).toEqual([0, 1, 2]);
});

test("starts nothing after an error while the source is slow", async () => {
  const started: number[] = [];
  const source = async function* (): AsyncGenerator<number> {
    yield 0;
    await pause(5);
    yield 1;
  };
  const work = async (item: number): Promise<number> => {
    started.push(item);
    throw new Error("broken");
  };
  await expect(collect(pool(source(), 3, work))).rejects.toThrow("broken");
  expect(started).toEqual([0]);
});

test("closes the source and does not wait when the loop ends early", async () => {
  let isClosed = false;
  const source = function* (): Generator<number> {
    try {
      for (let item = 0; ; item += 1) yield item;
    } finally {
      isClosed = true;
    }
  };
  const never = new Promise<number>(() => {});
  const work = (item: number): Promise<number> => (item === 0 ? Promise.resolve(item) : never);
  for await (const item of pool(source(), 3, work)) {
    expect(item).toBe(0);
    break;
  }
  await pause();
  expect(isClosed).toBe(true);
});

test("yields nothing without items", async () => {
  expect(await collect(pool([], 3, () => Promise.resolve(1)))).toEqual([]);
});
