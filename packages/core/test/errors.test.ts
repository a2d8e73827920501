import { describe, expect, expectTypeOf, test } from "vitest";

import { isRolloutError, rolloutErrorCodes } from "../src/engine.ts";
import { asRolloutError, boundary, ConfigError, messageOf } from "../src/errors.ts";
import { RolloutError, type RolloutErrorCode } from "../src/index.ts";

test("boundary() returns the result, sync or async", async () => {
  expect(await boundary("score", "the score", () => 1)).toBe(1);
  expect(await boundary("score", "the score", async () => 1)).toBe(1);
});

test("boundary() classifies an error and keeps it as the cause", async () => {
  const cause = new Error("boom");
  const error = await boundary("score", "the score win", () => Promise.reject(cause)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "score", message: "the score win: boom", cause });
});

test("boundary() does not change a RolloutError, also of another copy", () => {
  const own = new RolloutError("tool", "x");
  const foreign = Object.assign(new Error("y"), { name: "RolloutError", code: "model" });
  expect(asRolloutError("environment", "respond", own)).toBe(own);
  expect(asRolloutError("environment", "respond", foreign)).toBe(foreign);
  expect(isRolloutError({ name: "RolloutError", code: "model" })).toBe(false);
});

test.for([
  [new Error("text"), "text"],
  [new TypeError(), "TypeError"],
  ["text", "text"],
  [undefined, "undefined"],
  [null, "null"],
  [{ message: "text" }, "text"],
  [{ a: 1 }, "an object that is not an Error"],
  [Object.create(null), "an object that is not an Error"],
] as const)("messageOf(%o) is %j", ([thrown, expected]) => {
  expect(messageOf(thrown)).toBe(expected);
});

test("ConfigError lists its issues by path", () => {
  const error = new ConfigError("The config of x is not valid:", [
    { path: ["a", 0], message: "too small" },
    { path: [], message: "must not be empty" },
  ]);
  expect(error.message).toBe(
    "The config of x is not valid:\n  a.0: too small\n  must not be empty",
  );
});

describe("rolloutErrorCodes", () => {
  /** Does not compile if it lacks a code. */
  const union: Readonly<Record<RolloutErrorCode, true>> = {
    model: true,
    agent: true,
    environment: true,
    tool: true,
    score: true,
    timeout: true,
    crash: true,
    worker: true,
    cancelled: true,
  };

  test("lists the union", () => {
    expect(rolloutErrorCodes).toEqual(Object.keys(union));
    expectTypeOf(rolloutErrorCodes).items.toEqualTypeOf<RolloutErrorCode>();
  });
});
