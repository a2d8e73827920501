import { assistantMessage, type Model, RolloutError, textOf } from "@envs/core";
import { heldOutDrawings, heldOutWordings } from "@envs/tictactoe/exact";
import recipe from "@envs/tictactoe/training";
import { expect, test } from "vitest";

import { parseRecipe } from "../../../src/commands/training/recipe.ts";

const { plan, exact } = parseRecipe(recipe, "@envs/tictactoe/training");

/** A model that plays the first digit of the last message, which is the first free position in every presentation. */
const firstFree: Model = async ({ messages }) => {
  const [cell] = /\d/u.exec(textOf(messages.at(-1)!.content))!;
  return { message: assistantMessage(`<think></think><move>${cell}</move>`), finish: "stop" };
};

test("the exact evaluation covers the opponents of the stages, all positions, and every unseen presentation", async () => {
  const figures = await exact!(firstFree);
  const names = plan.stages.map(({ name }) => name.replace(/, T .*$/u, ""));
  expect(Object.keys(figures)).toEqual(expect.arrayContaining(names));
  const unseen = Object.keys(figures).filter((name) => name.includes(", "));
  expect(unseen).toHaveLength(heldOutWordings.length + heldOutDrawings.length);
  expect(figures["any position"]?.shares).toMatchObject({ invalid: 0 });
  expect(figures["any position"]?.shares["value"]).toBeCloseTo(0.5865, 4);
  const { shares: standard } = figures["optimal"]!;
  for (const name of unseen) expect(figures[name]?.shares).toMatchObject(standard);
});

test("the exact evaluation of a model that knows only the standard wording reports its invalid moves under others", async () => {
  const parrot: Model = async (call) => {
    const isKnown = textOf(call.messages.at(-1)!.content).endsWith("\nIt is your turn.");
    return isKnown ? firstFree(call) : { message: assistantMessage("What?"), finish: "stop" };
  };
  const figures = await exact!(parrot);
  expect(figures["any position"]?.shares).toMatchObject({ invalid: 0 });
  const { shares, note } = figures["optimal, worded Free positions: … Your move."]!;
  expect(shares).toMatchObject({ draw: 0, value: 0 });
  expect(shares["invalid"]).toBeCloseTo(1, 12);
  expect(note).toBe("0 losing of 10 lines, 4520 misplays and 4520 invalid in 4520 positions");
});

test("the exact evaluation counts a conversation that exceeds the model's context as an invalid move", async () => {
  const forgetful: Model = async (call) => {
    if (call.messages.length < 6) return firstFree(call);
    throw new RolloutError("model", "The conversation exceeds the context.", { isOverflow: true });
  };
  const { optimal } = await exact!(forgetful);
  expect(optimal?.shares["invalid"]).toBeGreaterThan(0);
});

test("the exact evaluation of a model without valid moves has no rows for other presentations", async () => {
  const silent: Model = async () => ({ message: assistantMessage("Hello!"), finish: "stop" });
  const figures = await exact!(silent);
  expect(Object.keys(figures)).toEqual(["random", "optimal", "any position"]);
});
