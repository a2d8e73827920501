import { trainingPlan } from "@envs/trainer";
import { expect, test } from "vitest";

import { overridePlan, parseRecipe } from "../../../src/commands/training/recipe.ts";

const phase = { kind: "rl", steps: 5, loss: { name: "cispo" } };
const plan = trainingPlan.parse({ seed: 4, phases: { warm: phase, hot: phase } });

test("accepts a function for exact evaluation", () => {
  const exact = async (): Promise<object> => ({});
  expect(parseRecipe({ phases: { rl: phase }, exact }, "here").exact).toBe(exact);
});

test("reports the path of each mistake in an invalid recipe", () => {
  expect(() =>
    parseRecipe({ phases: { rl: { ...phase, steps: 0, stepz: 1 } } }, "my.config.ts"),
  ).toThrow(/Invalid training recipe my\.config\.ts:[\s\S]*phases\.rl/u);
  expect(() => parseRecipe({ phases: { RL: phase } }, "my.config.ts")).toThrow(
    "is not a valid phase name: use lower-case letters",
  );
  expect(() => parseRecipe({ phases: {} }, "my.config.ts")).toThrow("has no phases");
  expect(() => parseRecipe(undefined, "my.config.ts")).toThrow("Invalid training recipe");
});

test("overrides phases, seed, threads and the model to start from", () => {
  const overridden = overridePlan(plan, {
    seed: 9,
    threads: 3,
    phases: ["hot"],
    from: "tiny:base",
  });
  expect(Object.keys(overridden.phases)).toEqual(["hot"]);
  expect(overridden).toMatchObject({ seed: 9, threads: 3, model: { from: "tiny:base" } });
  expect(overridePlan(plan, {})).toEqual(plan);
});

test("lists the phases if one does not exist", () => {
  expect(() => overridePlan(plan, { phases: ["cold"] })).toThrow(
    'The recipe has no phase "cold". Phases: warm, hot.',
  );
});
