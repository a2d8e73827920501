import { evaluate, policy } from "@envs/core";
import { checkEnvironment, scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";

import guessTheNumber from "../guess-the-number.ts";

// #region conformance
test("passes the conformance suite", async () => {
  await expect(checkEnvironment(guessTheNumber, { fullReward: 1.2 })).resolves.toBeUndefined();
});
// #endregion

// #region policy
test("policy:halving finds the number in at most seven guesses", async () => {
  const { scores } = await evaluate(guessTheNumber(), { model: policy("halving"), examples: 200 });
  expect(scores.found.mean).toBe(1);
  expect(scores.guesses.max).toBeLessThanOrEqual(7);
});
// #endregion

// #region script
test("repeats the format after a reply without a guess, with a reward of 0", async () => {
  const { rollouts } = await evaluate(guessTheNumber({ most: 2 }), {
    model: scriptedModel("Hello!", "Five?"),
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(rollouts).toMatchObject([
    {
      status: "scored",
      reward: 0,
      stopReason: "turns",
      scores: { found: 0, format: 0, guesses: null },
      completion: [
        { content: "Hello!" },
        { content: expect.stringContaining("Answer in this form") as string },
        { content: "Five?" },
        { role: "user" },
      ],
    },
  ]);
});
// #endregion
