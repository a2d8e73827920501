import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, expectTypeOf, test } from "vitest";

import {
  asRolloutError,
  boundary,
  ConfigError,
  isConfigError,
  isRolloutError,
  RolloutError,
  type RolloutErrorCode,
  rolloutErrorCodes,
} from "../src/errors.ts";

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

test("what environments throw is blamed on the boundary it crossed, and keeps its cause", async () => {
  const cause = new TypeError("no board");
  const error = await boundary("environment", "respond", () => Promise.reject(cause)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "environment", message: "respond: no board", cause });
});

test("an error that has a code already passes all boundaries", () => {
  const error = new RolloutError("tool", "The lathe is broken.");
  expect(asRolloutError("environment", "respond", error)).toBe(error);
});

test("something thrown that is no error is told as text", () => {
  expect(asRolloutError("score", "the score win", "oops").message).toBe("the score win: oops");
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

test("errors of another copy of this package are recognised", () => {
  const foreign = Object.assign(new Error("x"), { name: "RolloutError", code: "model" });
  expect(isRolloutError(foreign)).toBe(true);
  expect(isConfigError(foreign)).toBe(false);
  expect(isConfigError(Object.assign(new Error("x"), { name: "ConfigError", issues: [] }))).toBe(
    true,
  );
});
