import { describe, expect, test } from "vitest";
import * as z from "zod";

import { parseConfig } from "../../src/definition/config.ts";
import { isConfigError } from "../../src/engine.ts";
import { ConfigError, defineEnvironment } from "../../src/index.ts";

const schema = z.object({
  level: z.int().min(1).default(1),
  board: z.object({ size: z.int().default(3), rows: z.array(z.string()).default([]) }).prefault({}),
});
const create = defineEnvironment({
  name: "levels",
  config: schema,
  dataset: () => [{ prompt: "Hi." }],
  rubric: { zero: () => 0 },
});

function errorOf(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    if (isConfigError(error)) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

test("fills in defaults, also in nested objects", () => {
  expect(create().config).toEqual({ level: 1, board: { size: 3, rows: [] } });
  expect(create({ board: { size: 4 } }).config).toEqual({ level: 1, board: { size: 4, rows: [] } });
});

test("lists all invalid options with their paths", () => {
  const error = errorOf(() => create({ level: 0, board: { rows: ["a", 2 as never] } }));
  expect(error.issues.map(({ path }) => path)).toEqual([["level"], ["board", "rows", 1]]);
  expect(error.message).toMatchInlineSnapshot(`
    "The config of levels is not valid:
      level: Too small: expected number to be >=1
      board.rows.1: Invalid input: expected string, received number"
  `);
});

test("rejects a misspelt option by its name", () => {
  const error = errorOf(() => create({ levle: 2 } as never));
  expect(error.message).toContain("levels");
  expect(error.message).toContain('"levle"');
});

test("rejects options of an environment without config", () => {
  const plain = defineEnvironment({
    name: "plain",
    dataset: () => [{ prompt: "Hi." }],
    rubric: { zero: () => 0 },
  });
  expect(plain().config).toEqual({});
  expect(() => plain({ level: 1 } as never)).toThrow(ConfigError);
});

describe("a rule over several options", () => {
  const range = z
    .object({ low: z.number().default(0), high: z.number().default(1) })
    .refine(({ low, high }) => low <= high, { error: "low is above high", path: ["low"] });

  test("is checked", () => {
    expect(parseConfig("range", range, { low: 0.5 })).toEqual({ low: 0.5, high: 1 });
    expect(errorOf(() => parseConfig("range", range, { low: 2 })).issues).toEqual([
      { path: ["low"], message: "low is above high" },
    ]);
  });

  test("does not allow unknown options", () => {
    expect(() => parseConfig("range", range, { lo: 1 })).toThrow('"lo"');
  });
});

test.for([null, 1, "level", [1]])("rejects the config %j", (input) => {
  expect(errorOf(() => parseConfig("levels", schema, input)).issues[0]?.path).toEqual([]);
});

test("isConfigError() recognizes an error of another copy of this package", () => {
  const foreign = Object.assign(new Error("x"), { name: "ConfigError", issues: [] });
  expect(isConfigError(foreign)).toBe(true);
  expect(isConfigError(new Error("x"))).toBe(false);
});
