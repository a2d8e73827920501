import { expect, test } from "vitest";

import { runWithLimit } from "../src/abort.ts";
import { RolloutError } from "../src/errors.ts";

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const hang = (): Promise<void> => new Promise(() => {});
const limit = { signal: undefined, timeout: undefined, operation: "The work" };

test("does not abort after work that ends in time", async () => {
  const controller = new AbortController();
  expect(
    await runWithLimit({ ...limit, controller, timeout: 5 }, () => Promise.resolve()),
  ).toBeUndefined();
  await pause(10);
  expect(controller.signal.aborted).toBe(false);
});

test("returns a timeout error when work hangs", async () => {
  const controller = new AbortController();
  const error = await runWithLimit({ ...limit, controller, timeout: 5 }, hang);
  expect(error).toMatchObject({ code: "timeout", message: "The work took longer than 5 ms." });
  expect(controller.signal.reason).toBe(error);
});

test("sets no limit for Infinity", async () => {
  const controller = new AbortController();
  expect(
    await runWithLimit({ ...limit, controller, timeout: Infinity }, () => pause(10)),
  ).toBeUndefined();
});

test("sets no limit for a timeout that exceeds the maximum delay of a timer", async () => {
  const controller = new AbortController();
  expect(
    await runWithLimit({ ...limit, controller, timeout: 2 ** 40 }, () => pause(10)),
  ).toBeUndefined();
});

test("does not start work when the signal is already aborted", async () => {
  let hasStarted = false;
  const signal = AbortSignal.abort(new Error("too late"));
  const error = await runWithLimit(
    { ...limit, controller: new AbortController(), signal },
    async () => {
      hasStarted = true;
    },
  );
  expect(error).toMatchObject({ code: "cancelled", cause: new Error("too late") });
  expect(hasStarted).toBe(false);
});

test("returns the reason for the abort, not the error that the aborted work throws", async () => {
  const controller = new AbortController();
  const error = await runWithLimit({ ...limit, controller, timeout: 5 }, async () => {
    await new Promise((resolve) => controller.signal.addEventListener("abort", resolve));
    throw new Error("interrupted");
  });
  expect(error?.code).toBe("timeout");
});

test("classifies a plain error as environment and keeps a RolloutError", async () => {
  const fail = (error: Error) =>
    runWithLimit({ ...limit, controller: new AbortController() }, () => Promise.reject(error));
  expect(await fail(new Error("x"))).toMatchObject({ code: "environment", message: "The work: x" });
  const own = new RolloutError("model", "y");
  expect(await fail(own)).toBe(own);
});

test("ignores a rejection of work that has timed out", async () => {
  const late: unknown[] = [];
  const listener = (reason: unknown) => void late.push(reason);
  process.on("unhandledRejection", listener);
  await runWithLimit({ ...limit, controller: new AbortController(), timeout: 2 }, async () => {
    await pause(8);
    throw new Error("late");
  });
  await pause(15);
  process.off("unhandledRejection", listener);
  expect(late).toEqual([]);
});

test("subscribes 2,000 times to one signal without a warning", async () => {
  const warnings: Error[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  const run = new AbortController();
  const all = Array.from({ length: 2000 }, () =>
    runWithLimit({ ...limit, controller: new AbortController(), signal: run.signal }, hang),
  );
  run.abort();
  const errors = await Promise.all(all);
  await pause(5);
  process.off("warning", listener);
  expect(new Set(errors.map((error) => error?.code))).toEqual(new Set(["cancelled"]));
  expect(warnings).toEqual([]);
});
