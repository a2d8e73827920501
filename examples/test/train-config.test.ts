import tictactoe from "@envs/tictactoe";
import { trainingPlan } from "@envs/trainer";
import { expect, test } from "vitest";

import bothSides from "../both-sides.config.ts";
import everyPosition from "../every-position.config.ts";
import environment from "../tictactoe-simple.ts";
import recipe from "../train.config.ts";
import addition from "../two-digit-addition.config.ts";
import twoDigitAddition from "../two-digit-addition.ts";

test("train.config.ts is a valid plan for tictactoe-simple.ts", () => {
  const { phases, stages } = trainingPlan.parse(recipe);
  const { policies = {}, rubric } = environment.definition;
  expect(Object.keys(phases)).toEqual(["sft", "rl"]);
  expect(phases["sft"]).toMatchObject({ data: { policy: Object.keys(policies)[0] } });
  for (const { columns = {} } of stages)
    expect(Object.keys(rubric)).toEqual(expect.arrayContaining(Object.values(columns)));
});

test("every-position.config.ts is a valid plan for tictactoe", () => {
  const { exact: _, ...plan } = everyPosition;
  const { phases } = trainingPlan.parse(plan);
  expect(Object.keys(phases)).toEqual(["sft", "games", "rl"]);
  for (const phase of Object.values(phases)) {
    const configs =
      phase.kind === "rl" ? phase.sources : "policy" in phase.data ? [phase.data] : [];
    expect(configs).toContainEqual(
      expect.objectContaining({
        config: expect.objectContaining({ wording: "varied", drawing: "varied" }),
      }),
    );
    for (const { config } of configs) expect(() => tictactoe(config)).not.toThrow();
  }
});

test("two-digit-addition.config.ts is a valid plan for two-digit-addition.ts", () => {
  const { phases, stages } = trainingPlan.parse(addition);
  const { policies = {} } = twoDigitAddition.definition;
  expect(phases["sft"]).toMatchObject({ data: { policy: Object.keys(policies)[0] } });
  for (const { config } of stages) expect(() => twoDigitAddition(config)).not.toThrow();
});

test("both-sides.config.ts is a valid plan that trains both seats", () => {
  const { exact: _, ...plan } = bothSides;
  const { phases, stages } = trainingPlan.parse(plan);
  expect(phases["sft"]).toMatchObject({ data: { selfPlay: true } });
  for (const phase of [phases["rl"], phases["rl2"]])
    expect(phase).toMatchObject({
      selfPlay: true,
      sources: [{}, {}, { policies: { O: "opponent" } }, { policies: { X: "mixed(0.3)" } }],
    });
  expect(stages[0]).toMatchObject({ selfPlay: true, rotateSeats: true });
});
