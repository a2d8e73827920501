import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { backoff, retry, retryAfter, retryDelay } from "../src/http/retry.ts";

const never = new AbortController().signal;

/** Work that fails a number of times before it succeeds. */
function failing(times: number) {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    work: async (): Promise<string> => {
      calls += 1;
      if (calls <= times) throw new Error(`failure ${calls}`);
      return "done";
    },
  };
}

test("retries until the work succeeds", async () => {
  const attempts: number[] = [];
  const task = failing(3);
  const delayFor = (_error: unknown, attempt: number): number => {
    attempts.push(attempt);
    return 0;
  };
  expect(await retry(task.work, { retries: 3, signal: never, delayFor })).toBe("done");
  expect(attempts).toEqual([0, 1, 2]);
});

test("throws the last error after the last retry", async () => {
  const task = failing(9);
  const options = { retries: 2, signal: never, delayFor: () => 0 };
  await expect(retry(task.work, options)).rejects.toThrow("failure 3");
});

test("does not retry a permanent error", async () => {
  const task = failing(9);
  const options = { retries: 5, signal: never, delayFor: () => undefined };
  await expect(retry(task.work, options)).rejects.toThrow("failure 1");
  expect(task.calls).toBe(1);
});

test("rejects with the signal's reason during the delay", async () => {
  const controller = new AbortController();
  const task = failing(9);
  const waiting = retry(task.work, {
    retries: 5,
    signal: controller.signal,
    delayFor: () => 600_000,
  });
  setTimeout(() => controller.abort(new Error("enough")), 5);
  await expect(waiting).rejects.toThrow("enough");
  expect(task.calls).toBe(1);
});

test("backoff() doubles from half a second to 30 seconds, with jitter over the second half", () => {
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.nat(), (attempt, seed) => {
      const longest = Math.min(30_000, 500 * 2 ** attempt);
      const wait = backoff(attempt, seed);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThan(longest);
      expect(backoff(attempt, seed)).toBe(wait);
    }),
  );
  expect(new Set(Array.from({ length: 100 }, (_, seed) => backoff(3, seed))).size).toBe(100);
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1);

  test.for([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "-5" }, 0],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" }, 20_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after-ms": "250", "retry-after": "3" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "3" }, 3000],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined],
  ] as const)("of %o is %s ms", ([headers, expected]) => {
    expect(retryAfter(headers, now)).toBe(expected);
  });

  test("is undefined without headers", () => {
    expect(retryAfter(undefined, now)).toBeUndefined();
  });
});

test("retryDelay() respects Retry-After up to two minutes, with jitter", () => {
  const waits = (value: string) =>
    Array.from({ length: 50 }, (_, seed) => retryDelay({ "retry-after": value }, 0, seed));
  expect(Math.min(...waits("2"))).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...waits("2"))).toBeLessThan(2500);
  expect(new Set(waits("2")).size).toBeGreaterThan(40);
  expect(Math.max(...waits("999999999"))).toBeLessThanOrEqual(150_000);
  expect(retryDelay({}, 1, 7)).toBe(backoff(1, 7));
});
