import { evaluate } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { describe, expect, it } from "vitest";

import halves from "./same-answers.ts";

describe("the program of the README", () => {
  it("rewards an exactly equal answer and none without a box", async () => {
    const right = await evaluate(halves(), { model: scriptedModel("\\boxed{\\frac{1}{2}}") });
    const none = await evaluate(halves(), { model: scriptedModel("It is a half.") });
    expect([right.reward.mean, none.reward.mean]).toEqual([1, 0]);
  });
});
