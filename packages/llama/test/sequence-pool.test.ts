import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { sequencePool } from "../src/sequence-pool.ts";

const { signal } = new AbortController();
const none = () => 0;

describe("acquire()", () => {
  test("returns the free sequence with the largest overlap", async () => {
    const pool = sequencePool([3, 8, 5]);
    expect(await pool.acquire(signal, (sequence) => sequence)).toBe(8);
    expect(await pool.acquire(signal, (sequence) => sequence)).toBe(5);
  });

  test("returns the least recently used of equal sequences", async () => {
    const pool = sequencePool(["a", "b", "c"]);
    pool.release(await pool.acquire(signal, none));
    expect(await pool.acquire(signal, none)).toBe("b");
    expect(await pool.acquire(signal, none)).toBe("c");
    expect(await pool.acquire(signal, none)).toBe("a");
  });
});

test("serves every request in order, and no sequence to two requests at once", async () => {
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

describe("an aborted request", () => {
  test("leaves the queue and does not delay the others", async () => {
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

  test("gets no sequence if it was aborted before", async () => {
    const pool = sequencePool(["only"]);
    const aborted = AbortSignal.abort(new Error("Enough."));
    await expect(pool.acquire(aborted, none)).rejects.toThrow("Enough.");
    expect(await pool.acquire(signal, none)).toBe("only");
  });
});
