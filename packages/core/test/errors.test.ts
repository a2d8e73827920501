import { expect, test } from "vitest";

import { asRolloutError, boundary, messageOf } from "../src/errors.ts";
import { isRolloutError, RolloutError } from "../src/index.ts";

test("a boundary passes results on, awaited or not", async () => {
  expect(await boundary("score", "the score", () => 1)).toBe(1);
  expect(await boundary("score", "the score", async () => 1)).toBe(1);
});

test("a boundary classifies what escapes and keeps its cause", async () => {
  const cause = new Error("boom");
  const error = await boundary("score", "the score win", () => Promise.reject(cause)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "score", message: "the score win: boom", cause });
});

test("an error that is classified already passes through, also one of another copy", () => {
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
  [{ a: 1 }, "an object that is no error"],
  [Object.create(null), "an object that is no error"],
] as const)("what %o says is %j", ([thrown, expected]) => {
  expect(messageOf(thrown)).toBe(expected);
});
