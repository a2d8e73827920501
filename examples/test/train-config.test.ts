import { trainingPlan } from "@envs/trainer";
import { expect, test } from "vitest";

import environment from "../tictactoe-simple.ts";
import recipe from "../train.config.ts";

test("train.config.ts is a valid plan for tictactoe-simple.ts", () => {
  const { phases, stages } = trainingPlan.parse(recipe);
  const { policies = {}, rubric } = environment.definition;
  expect(Object.keys(phases)).toEqual(["sft", "rl"]);
  expect(phases["sft"]).toMatchObject({ data: { policy: Object.keys(policies)[0] } });
  for (const { columns = {} } of stages)
    expect(Object.keys(rubric)).toEqual(expect.arrayContaining(Object.values(columns)));
});
