import { expect, test } from "vitest";

import { limited } from "../src/deadline.ts";
import { RolloutError } from "../src/errors.ts";

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const hang = (): Promise<void> => new Promise(() => {});
const limit = { signal: undefined, timeout: undefined, what: "The work" };

test("work that ends in time leaves nothing behind", async () => {
  const over = new AbortController();
  expect(await limited({ ...limit, over, timeout: 5 }, () => Promise.resolve())).toBeUndefined();
  await pause(10);
  expect(over.signal.aborted).toBe(false);
});

test("work that hangs is left behind when its time is up", async () => {
  const over = new AbortController();
  const error = await limited({ ...limit, over, timeout: 5 }, hang);
  expect(error).toMatchObject({ code: "timeout", message: "The work took longer than 5 ms." });
  expect(over.signal.reason).toBe(error);
});

test("no limit may be written as Infinity", async () => {
  const over = new AbortController();
  expect(await limited({ ...limit, over, timeout: Infinity }, () => pause(10))).toBeUndefined();
});

test("a limit longer than a timer can count is no limit", async () => {
  const over = new AbortController();
  expect(await limited({ ...limit, over, timeout: 2 ** 40 }, () => pause(10))).toBeUndefined();
});

test("a signal that is aborted already lets no work begin", async () => {
  let hasBegun = false;
  const signal = AbortSignal.abort(new Error("too late"));
  const error = await limited({ ...limit, over: new AbortController(), signal }, async () => {
    hasBegun = true;
  });
  expect(error).toMatchObject({ code: "cancelled", cause: new Error("too late") });
  expect(hasBegun).toBe(false);
});

test("what work throws because it was told to stop is not what went wrong", async () => {
  const over = new AbortController();
  const error = await limited({ ...limit, over, timeout: 5 }, async () => {
    await new Promise((resolve) => over.signal.addEventListener("abort", resolve));
    throw new Error("I was interrupted");
  });
  expect(error?.code).toBe("timeout");
});

test("a plain error is the environment's, a classified one stays as it is", async () => {
  const fail = (error: Error) =>
    limited({ ...limit, over: new AbortController() }, () => Promise.reject(error));
  expect(await fail(new Error("x"))).toMatchObject({ code: "environment", message: "The work: x" });
  const own = new RolloutError("model", "y");
  expect(await fail(own)).toBe(own);
});

test("work left behind may fail later without anybody hearing of it", async () => {
  const late: unknown[] = [];
  const hear = (reason: unknown) => void late.push(reason);
  process.on("unhandledRejection", hear);
  await limited({ ...limit, over: new AbortController(), timeout: 2 }, async () => {
    await pause(8);
    throw new Error("late");
  });
  await pause(15);
  process.off("unhandledRejection", hear);
  expect(late).toEqual([]);
});

test("thousands may wait for one signal without a warning", async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => void warnings.push(warning);
  process.on("warning", hear);
  const controller = new AbortController();
  const all = Array.from({ length: 2000 }, () =>
    limited({ ...limit, over: new AbortController(), signal: controller.signal }, hang),
  );
  controller.abort();
  const errors = await Promise.all(all);
  await pause(5);
  process.off("warning", hear);
  expect(new Set(errors.map((error) => error?.code))).toEqual(new Set(["cancelled"]));
  expect(warnings).toEqual([]);
});
