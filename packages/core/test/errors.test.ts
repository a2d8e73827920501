import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, expectTypeOf, test } from "vitest";

import { isRolloutError, rolloutErrorCodes } from "../src/engine.ts";
import { asRolloutError, boundary, ConfigError, messageOf } from "../src/errors.ts";
import { RolloutError, type RolloutErrorCode } from "../src/index.ts";

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

test("a config error lists its issues by path", () => {
  const error = new ConfigError("The config of x is not valid:", [
    { path: ["a", 0], message: "too small" },
    { path: [], message: "must not be empty" },
  ]);
  expect(error.message).toBe(
    "The config of x is not valid:\n  a.0: too small\n  must not be empty",
  );
});

describe("the document of errors", () => {
  const file = join(import.meta.dirname, "../../../docs/errors.md");
  const sections = readFileSync(file, "utf8")
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = "", ...body] = section.split("\n");
      return { code: heading.replaceAll("`", ""), body: body.join("\n") };
    });

  /** Does not compile when the union has a code that this misses. */
  const union: Readonly<Record<RolloutErrorCode, true>> = {
    model: true,
    environment: true,
    tool: true,
    score: true,
    timeout: true,
    cancelled: true,
  };

  test("the list of codes is the union", () => {
    expect(rolloutErrorCodes).toEqual(Object.keys(union));
    expectTypeOf(rolloutErrorCodes).items.toEqualTypeOf<RolloutErrorCode>();
  });

  test("has a section for each code, and for nothing else", () => {
    expect(sections.map(({ code }) => code)).toEqual(rolloutErrorCodes);
  });

  test.for(sections)("says of $code what happened, why, and what to do", ({ body }) => {
    const parts = [...body.matchAll(/^\*\*(.+?)\.\*\* \S/gm)].map(([, part]) => part);
    expect(parts).toEqual(["What happened", "Why", "What to do"]);
  });
});
