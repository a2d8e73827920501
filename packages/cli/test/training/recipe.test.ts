import { trainingPlan } from "@envs/trainer";
import { expect, test } from "vitest";

import { choose } from "../../src/training/plan-overrides.ts";
import { readRecipe } from "../../src/training/recipe.ts";

const phase = { kind: "rl", steps: 5, loss: { name: "cispo" } };
const plan = trainingPlan.parse({ seed: 4, phases: { warm: phase, hot: phase } });

test("a recipe may bring a function that measures exactly", () => {
  const exact = async (): Promise<object> => ({});
  expect(readRecipe({ phases: { rl: phase }, exact }, "here").exact).toBe(exact);
});

test("a broken recipe is told with the place of each mistake", () => {
  expect(() =>
    readRecipe({ phases: { rl: { ...phase, steps: 0, stepz: 1 } } }, "my.config.ts"),
  ).toThrow(/The training recipe my\.config\.ts is not valid:[\s\S]*phases\.rl/u);
  expect(() => readRecipe({ phases: { RL: phase } }, "my.config.ts")).toThrow(
    "is not a valid phase name: use lower-case letters",
  );
  expect(() => readRecipe({ phases: {} }, "my.config.ts")).toThrow("has no phases");
  expect(() => readRecipe(undefined, "my.config.ts")).toThrow("is not valid");
});

test("a person chooses phases, seed, threads and the model to start from", () => {
  const chosen = choose(plan, { seed: 9, threads: 3, phases: ["hot"], from: "tiny:base" });
  expect(Object.keys(chosen.phases)).toEqual(["hot"]);
  expect(chosen).toMatchObject({ seed: 9, threads: 3, model: { from: "tiny:base" } });
  expect(choose(plan, {})).toEqual(plan);
});

test("a phase that is not there is told with those that are", () => {
  expect(() => choose(plan, { phases: ["cold"] })).toThrow(
    'The recipe has no phase "cold". It has: warm, hot.',
  );
});
