import { ConfigError } from "@envs/core";
import { describeScores } from "@envs/core/engine";
import tictactoe from "@envs/tictactoe";
import recipe from "@envs/tictactoe/training";
import { parseClauses } from "@envs/viewer";
import { expect, test } from "vitest";

import { fieldsOfEnvironment } from "../../../../cli/src/runs/rollout-fields.ts";
import { parseRecipe } from "../../../src/commands/training/recipe.ts";

const { plan } = parseRecipe(recipe, "@envs/tictactoe/training");
const evaluations = [...plan.evaluations, ...plan.stages];

test("tictactoe's recipe starts with a supervised phase, followed by reinforcement learning", () => {
  expect(Object.values(plan.phases).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["sft", "rl"]),
  );
  expect(Object.values(plan.phases)[0]?.kind).toBe("sft");
});

test("the environment accepts every config of its recipe", () => {
  const configs = Object.values(plan.phases).flatMap((phase) =>
    phase.kind === "rl"
      ? phase.sources.map(({ config }) => config)
      : "policy" in phase.data
        ? [phase.data.config]
        : [],
  );
  for (const config of [...configs, ...evaluations.map(({ config }) => config)])
    expect(() => tictactoe(config)).not.toThrow();
});

test("the recipe filters and reports only scores of the environment", () => {
  const environment = tictactoe();
  const scores = describeScores(environment.definition).map(({ name }) => name);
  for (const phase of Object.values(plan.phases))
    if (phase.kind === "sft" && "policy" in phase.data)
      expect(() =>
        parseClauses(
          "where" in phase.data ? phase.data.where! : "",
          fieldsOfEnvironment(environment),
        ),
      ).not.toThrow();
  for (const { columns = {} } of evaluations)
    expect(scores).toEqual(expect.arrayContaining(Object.values(columns)));
});

test.each([
  [{ phases: {} }, "has no phases"],
  [undefined, "Invalid training recipe"],
  [{ phases: { sft: { kind: "sft" } } }, "phases.sft.data"],
  [{ phases: { rl: { kind: "rl", steps: 1, rolloutsPerExample: 1 } } }, "rolloutsPerExample"],
  [{ phases: { rl: { kind: "rl", steps: 1, learningRate: 1 } } }, "learningRate"],
  [{ phases: { RL: { kind: "rl", steps: 1 } } }, "phases.RL"],
])("rejects the recipe %j", (invalid, message) => {
  expect(() => parseRecipe(invalid, "train.config.ts")).toThrow(ConfigError);
  expect(() => parseRecipe(invalid, "train.config.ts")).toThrow(message);
});
