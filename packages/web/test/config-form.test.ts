import { expect, test } from "vitest";

import { stateParameters } from "../src/config-form/form-state.ts";
import { configFields, enteredConfig, evalCommand, readState } from "../src/config-form/island.tsx";

const fields = configFields({
  type: "object",
  properties: {
    turns: { type: "integer", default: 8, minimum: 1, maximum: 9_007_199_254_740_991 },
    chance: { type: "number", default: 0.5, minimum: 0, maximum: 1 },
    opponent: { type: "string", enum: ["weak", "strong"], default: "weak" },
    isFast: { type: "boolean", default: false },
    title: { type: "string", default: "" },
    sizes: { type: "array", items: { type: "integer" }, default: [3] },
    file: { type: "string" },
  },
  required: ["file"],
});

const state = (values: Record<string, string>) => ({
  model: "policy:best",
  values: Object.fromEntries(
    fields.map(({ name, byDefault }) => [name, values[name] ?? byDefault]),
  ),
});

test("describes each option by its schema", () => {
  expect(fields.map(({ name, kind, type, byDefault }) => [name, kind, type, byDefault])).toEqual([
    ["turns", "number", "whole number ≥ 1", "8"],
    ["chance", "number", "number from 0 to 1", "0.5"],
    ["opponent", "choice", "weak | strong", "weak"],
    ["isFast", "boolean", "boolean", "false"],
    ["title", "text", "string", ""],
    ["sizes", "json", "list of whole number", "[3]"],
    ["file", "text", "string", ""],
  ]);
  expect(fields.at(-1)?.isRequired).toBe(true);
});

test("collects the options that differ from their defaults", () => {
  const { config, problems } = enteredConfig(
    fields,
    state({ turns: "5", opponent: "strong", isFast: "true", sizes: "[3, 4]", file: "a b" }),
  );
  expect(config).toEqual({
    turns: 5,
    opponent: "strong",
    isFast: true,
    sizes: [3, 4],
    file: "a b",
  });
  expect(problems).toEqual({});
});

test.each([
  ["turns", "x", "Enter a number."],
  ["turns", "1.5", "Enter a whole number."],
  ["turns", "0", "The minimum is 1."],
  ["chance", "2", "The maximum is 1."],
  ["chance", "", "Enter a number."],
  ["opponent", "<b>", "Choose one of: weak, strong."],
  ["isFast", "yes", "Choose true or false."],
  ["sizes", "[3", "Enter JSON, such as [1, 2] or null."],
])("reports the problem of %s: %j", (name, text, problem) => {
  const { config, problems } = enteredConfig(fields, state({ [name]: text }));
  expect(problems).toEqual({ [name]: problem });
  expect(config).toEqual({});
});

test("restores the same state from the parameters of the address", () => {
  const entered = { ...state({ turns: "5", title: "a&b=c #é", sizes: "[1]" }), model: "m&m" };
  const parameters = stateParameters(fields, entered, "policy:best");
  expect(readState(fields, new URLSearchParams(parameters), "policy:best")).toEqual(entered);
});

test("sets no parameters for the defaults", () => {
  expect(stateParameters(fields, state({}), "policy:best")).toBe("");
});

test("quotes words that a shell would change", () => {
  const command = evalCommand({
    environment: "@ada/chess",
    model: "it's $(me)",
    config: { title: "'; rm -rf /" },
  });
  expect(command).toBe(
    String.raw`envs eval @ada/chess -m 'it'\''s $(me)' --config '{"title":"'\''; rm -rf /"}'`,
  );
});
