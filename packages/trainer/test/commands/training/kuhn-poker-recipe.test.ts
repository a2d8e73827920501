import { assistantMessage, type Model } from "@envs/core";
import kuhnPoker from "@envs/kuhn-poker";
import recipe from "@envs/kuhn-poker/training";
import { expect, test } from "vitest";

import { parseRecipe } from "../../../src/commands/training/recipe.ts";

const { plan, exact } = parseRecipe(recipe, "@envs/kuhn-poker/training");

test("kuhn-poker's recipe lets the model play itself, after a teacher in both seats", () => {
  const { sft, rl } = plan.phases;
  expect(sft).toMatchObject({ kind: "sft", data: { selfPlay: true } });
  expect(rl).toMatchObject({ kind: "rl", selfPlay: true });
  for (const { config } of plan.stages) expect(() => kuhnPoker(config)).not.toThrow();
});

test("the exact evaluation names the value of self-play and the exploitability", async () => {
  const passive: Model = async ({ messages }) => {
    const action = JSON.stringify(messages.at(-1)).includes("Fold or call?") ? "fold" : "check";
    return { message: assistantMessage(`<action>${action}</action>`), finish: "stop" };
  };
  const { itself } = await exact!(passive);
  expect(itself?.shares).toEqual({
    illegal: 0,
    "J bets": 0,
    "K bets": 0,
    "J bluffs": 0,
    "Q calls": 0,
  });
  expect(itself?.note).toBe(
    "against itself, player0 wins 0.000 chips per hand (equilibrium -0.056); 1.000 chips exploitable",
  );
});
