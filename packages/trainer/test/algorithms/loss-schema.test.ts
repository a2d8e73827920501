import { expect, test } from "vitest";
import * as z from "zod";

import { lossSettings } from "../../src/algorithms/loss-schema.ts";

test("a config without a loss gets CISPO with its cap of 5", () => {
  expect(lossSettings.parse(undefined)).toEqual({
    name: "cispo",
    epsilonHigh: 5,
    klCoefficient: 0,
    entropyCoefficient: 0,
    importanceCap: 3,
  });
});

test("clip has TRL's epsilon and leaves the rest off", () => {
  expect(lossSettings.parse({ name: "clip", epsilonHigh: 0.28 })).toEqual({
    name: "clip",
    epsilonLow: 0.2,
    epsilonHigh: 0.28,
    importanceLevel: "token",
    klCoefficient: 0,
    entropyCoefficient: 0,
    importanceCap: 3,
  });
});

test("a cap below 1 is the old meaning of epsilonHigh, and is refused", () => {
  expect(() => lossSettings.parse({ name: "cispo", epsilonHigh: 0.28 })).toThrow("1.28");
});

test("misspelt settings are refused", () => {
  expect(() => lossSettings.parse({ name: "clip", epsilon: 0.2 })).toThrow("epsilon");
  expect(() => lossSettings.parse({ name: "cross_entropy", klCoefficient: 1 })).toThrow(
    "klCoefficient",
  );
  expect(() => lossSettings.parse({ name: "ppo" })).toThrow("name");
});

test("the schema explains every setting", () => {
  const { oneOf = [], anyOf = oneOf } = z.toJSONSchema(lossSettings);
  expect(anyOf).toHaveLength(4);
  for (const loss of anyOf as z.core.JSONSchema.BaseSchema[]) {
    expect(loss.description).toBeTruthy();
    for (const [name, setting] of Object.entries(loss.properties ?? {}))
      expect(name === "name" || (setting as { description?: string }).description).toBeTruthy();
  }
});
