import { expect, test } from "vitest";
import * as z from "zod";

import { lossSettings } from "../../src/algorithms/loss-settings.ts";

test("the default is CISPO with a cap of 5", () => {
  expect(lossSettings.parse(undefined)).toEqual({
    name: "cispo",
    epsilonHigh: 5,
    klCoefficient: 0,
    entropyCoefficient: 0,
    entropyDelta: 0.005,
    maxEntropyCoefficient: 0.05,
    importanceCap: 3,
    importanceCorrection: "token_truncate",
  });
});

test("clip defaults to the epsilon of TRL, without other terms", () => {
  expect(lossSettings.parse({ name: "clip", epsilonHigh: 0.28 })).toEqual({
    name: "clip",
    epsilonLow: 0.2,
    epsilonHigh: 0.28,
    importanceLevel: "token",
    klCoefficient: 0,
    entropyCoefficient: 0,
    entropyDelta: 0.005,
    maxEntropyCoefficient: 0.05,
    importanceCap: 3,
    importanceCorrection: "token_truncate",
  });
});

test("a cap below 1 is rejected, since epsilonHigh is not a distance from 1", () => {
  expect(() => lossSettings.parse({ name: "cispo", epsilonHigh: 0.28 })).toThrow("1.28");
});

test("unknown settings are rejected", () => {
  expect(() => lossSettings.parse({ name: "clip", epsilon: 0.2 })).toThrow("epsilon");
  expect(() => lossSettings.parse({ name: "cross_entropy", klCoefficient: 1 })).toThrow(
    "klCoefficient",
  );
  expect(() => lossSettings.parse({ name: "ppo" })).toThrow("name");
});

test("every setting has a description", () => {
  const { oneOf = [], anyOf = oneOf } = z.toJSONSchema(lossSettings);
  expect(anyOf).toHaveLength(5);
  for (const loss of anyOf as z.core.JSONSchema.BaseSchema[]) {
    expect(loss.description).toBeTruthy();
    for (const [name, setting] of Object.entries(loss.properties ?? {}))
      expect(name === "name" || (setting as { description?: string }).description).toBeTruthy();
  }
});
