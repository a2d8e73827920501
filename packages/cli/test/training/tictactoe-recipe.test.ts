import { assistant, ConfigError, type Model } from "@envs/core";
import { describeScores } from "@envs/core/engine";
import tictactoe from "@envs/tictactoe";
import recipe from "@envs/tictactoe/training";
import { expect, test } from "vitest";

import { fieldsOfEnvironment } from "../../src/runs/rollout-fields.ts";
import { parseClauses } from "../../src/runs/where.ts";
import { readRecipe } from "../../src/training/recipe.ts";

const { plan, exact } = readRecipe(recipe, "@envs/tictactoe/training");
const measured = [...plan.evaluations, ...plan.stages];

test("tictactoe brings a recipe that is a valid plan: first form, then play", () => {
  expect(Object.values(plan.phases).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["sft", "rl"]),
  );
  expect(Object.values(plan.phases)[0]?.kind).toBe("sft");
});

test("the environment takes every config of its recipe", () => {
  const configs = Object.values(plan.phases).flatMap((phase) =>
    phase.kind === "rl"
      ? phase.sources.map(({ config }) => config)
      : "policy" in phase.data
        ? [phase.data.config]
        : [],
  );
  for (const config of [...configs, ...measured.map((each) => each.config)])
    expect(() => tictactoe(config)).not.toThrow();
});

test("what its data are sifted by, and what it shows, are scores of the environment", () => {
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
  for (const { columns = {} } of measured)
    expect(scores).toEqual(expect.arrayContaining(Object.values(columns)));
});

test("its exact figures belong to the opponents that are measured", async () => {
  const firstFree: Model = async ({ messages }) => {
    const [, cell] = /Free positions: (\d)/u.exec(messages.at(-1)!.content)!;
    return { message: assistant(`<think></think><move>${cell}</move>`), finish: "stop" };
  };
  const figures = await exact!(firstFree);
  const names = plan.stages.map(({ name }) => name.replace(/, T .*$/u, ""));
  expect(Object.keys(figures).toSorted()).toEqual([...new Set(names)].toSorted());
  for (const { shares, note } of Object.values(figures)) {
    expect(Object.values(shares).reduce((sum, share) => sum + share)).toBeCloseTo(1, 12);
    expect(note).toMatch(/^\d+ losing of \d+ lines, \d+ wins not taken the shortest way$/u);
  }
});

test.each([
  [{ phases: {} }, "has no phases"],
  [undefined, "is not valid"],
  [{ phases: { sft: { kind: "sft" } } }, "phases.sft.data"],
  [{ phases: { rl: { kind: "rl", steps: 1, rolloutsPerExample: 1 } } }, "rolloutsPerExample"],
  [{ phases: { rl: { kind: "rl", steps: 1, learningRate: 1 } } }, "learningRate"],
  [{ phases: { RL: { kind: "rl", steps: 1 } } }, "phases.RL"],
])("the recipe %j is refused", (broken, message) => {
  expect(() => readRecipe(broken, "train.config.ts")).toThrow(ConfigError);
  expect(() => readRecipe(broken, "train.config.ts")).toThrow(message);
});
