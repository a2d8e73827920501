import { expect, test } from "vitest";
import * as z from "zod";

import { configOptions, readConfig } from "../../src/environments/config-options.ts";

const config = z.object({
  minProb: z.number().min(0).max(1).default(0).describe("Least"),
  count: z.int().min(1).default(3),
  mode: z.enum(["easy", "hard"]).default("easy"),
  isOpen: z.boolean().default(false),
  words: z.array(z.string()).default([]),
  title: z.string().optional(),
});
const options = configOptions({ config });

test("describes the type of each option", () => {
  expect(options.map(({ flag, type, default: byDefault }) => [flag, type, byDefault])).toEqual([
    ["min-prob", "number from 0 to 1", 0],
    ["count", "whole number ≥ 1", 3],
    ["mode", "easy | hard", "easy"],
    ["is-open", "boolean", false],
    ["words", "list of string", []],
    ["title", "string", undefined],
  ]);
});

test("parses each flag as its option's type", () => {
  const flags = {
    "min-prob": "0.5",
    count: "4",
    mode: "hard",
    "is-open": true,
    words: '["a"]',
    title: "12",
  };
  expect(readConfig(options, flags, undefined)).toEqual({
    minProb: 0.5,
    count: 4,
    mode: "hard",
    isOpen: true,
    words: ["a"],
    title: "12",
  });
});

test("passes an unparsable flag on to Zod unchanged", () => {
  expect(readConfig(options, { count: "many" }, undefined)).toEqual({ count: "many" });
});

test("overrides --config with single flags and rejects JSON that is not an object", () => {
  expect(readConfig(options, { count: "4" }, '{"count": 1, "minProb": 1}')).toEqual({
    count: 4,
    minProb: 1,
  });
  expect(() => readConfig(options, {}, "{")).toThrow("--config is not a JSON object.");
  expect(() => readConfig(options, {}, "[1]")).toThrow("--config is not a JSON object.");
});
