import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { sequencePool } from "../src/sequence-pool.ts";

const { signal } = new AbortController();
const none = () => 0;

describe("of the free sequences", () => {
  test("a request gets the one with the largest overlap", async () => {
    const pool = sequencePool([3, 8, 5]);
    expect(await pool.acquire(signal, (sequence) => sequence)).toBe(8);
    expect(await pool.acquire(signal, (sequence) => sequence)).toBe(5);
  });

  test("a new conversation gets the one that was used longest ago", async () => {
    const pool = sequencePool(["a", "b", "c"]);
    pool.release(await pool.acquire(signal, none));
    expect(await pool.acquire(signal, none)).toBe("b");
    expect(await pool.acquire(signal, none)).toBe("c");
    expect(await pool.acquire(signal, none)).toBe("a");
  });
});

test("every request is served, in order, and no sequence serves two at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(3), { maxLength: 40 }),
      async (size, ticks) => {
        const pool = sequencePool(Array.from({ length: size }, (_, index) => index));
        const inUse = new Set<number>();
        const started: number[] = [];
        await Promise.all(
          ticks.map(async (tick, request) => {
            const sequence = await pool.acquire(signal, none);
            expect(inUse).not.toContain(sequence);
            inUse.add(sequence);
            started.push(request);
            for (let step = 0; step < tick; step += 1) await Promise.resolve();
            inUse.delete(sequence);
            pool.release(sequence);
          }),
        );
        expect(started).toEqual(ticks.map((_, request) => request));
      },
    ),
  );
});

describe("a request that is aborted", () => {
  test("leaves the queue without holding up the others", async () => {
    const pool = sequencePool(["only"]);
    const sequence = await pool.acquire(signal, none);
    const controller = new AbortController();
    const aborted = pool.acquire(controller.signal, none);
    const next = pool.acquire(signal, none);
    controller.abort(new Error("Enough."));
    await expect(aborted).rejects.toThrow("Enough.");
    pool.release(sequence);
    expect(await next).toBe("only");
  });

  test("before it asks gets nothing", async () => {
    const pool = sequencePool(["only"]);
    const gone = AbortSignal.abort(new Error("Enough."));
    await expect(pool.acquire(gone, none)).rejects.toThrow("Enough.");
    expect(await pool.acquire(signal, none)).toBe("only");
  });
});
