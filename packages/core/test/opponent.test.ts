import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { episode, type Opponent, type OpponentQuestion, replay } from "../src/engine.ts";
import { assistant, defineEnvironment, end, evaluate } from "../src/index.ts";

const handful = z
  .string()
  .refine((text) => ["1", "2", "3"].includes(text), "Take 1, 2 or 3.")
  .transform(Number);

/** Nim: whoever takes the last match loses. */
const nim = defineEnvironment({
  name: "nim",
  dataset: () => [{ prompt: "12 matches.", matches: 12 }],
  setup: ({ example }) => ({ matches: example.matches, winner: "" }),
  async respond({ reply, state, opponent, random }) {
    state.matches -= Number(reply) || 1;
    if (state.matches < 1) return end("You took the last.");
    const asked = `${state.matches} are left.`;
    state.matches -= opponent === undefined ? 1 + random.int(3) : await opponent(asked, handful);
    if (state.matches < 1) state.winner = "model";
    return state.matches < 1 ? end("You win.") : `${state.matches} matches.`;
  },
  opponent: "You take matches second.",
  rubric: { win: ({ state }) => Number(state.winner === "model") },
});

const example = { prompt: "12 matches.", matches: 12 };

function answering(answers: readonly string[]): { opponent: Opponent; asked: OpponentQuestion[] } {
  const asked: OpponentQuestion[] = [];
  const left = [...answers];
  const opponent: Opponent = async (question) => {
    asked.push(question);
    return left.shift() ?? "1";
  };
  return { opponent, asked };
}

describe("someone plays the other side", () => {
  test("respond asks them, and goes on with their answer", async () => {
    const { opponent, asked } = answering(["3"]);
    const game = episode(nim(), example, { opponent });
    await game.start();
    const { messages } = await game.step(assistant("2"));
    expect(asked).toEqual([{ text: "10 are left." }]);
    expect(messages).toEqual([{ role: "user", content: "7 matches." }]);
  });

  test("an answer that does not fit is asked for again, with the reason", async () => {
    const { opponent, asked } = answering(["all of them", "0", "2"]);
    const game = episode(nim(), example, { opponent });
    await game.start();
    await game.step(assistant("2"));
    const problem = "Take 1, 2 or 3.";
    const text = "10 are left.";
    expect(asked).toEqual([{ text }, { text, problem }, { text, problem }]);
    expect(game.state.matches).toBe(8);
  });

  test("the same messages and answers lead to the same place", async () => {
    const move = fc.constantFrom("1", "2", "3");
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 6 }), fc.array(move), async (said, answers) => {
        const completion = said.map(assistant);
        const play = () =>
          replay(nim(), example, { completion, opponent: answering(answers).opponent });
        const [once, again] = [await play(), await play()];
        expect(again.messages).toEqual(once.messages);
        expect(again.state).toEqual(once.state);
      }),
    );
  });

  test("one who fails is not blamed on the environment", async () => {
    const opponent: Opponent = () => Promise.reject(new Error("They left."));
    const game = episode(nim(), example, { opponent });
    await game.start();
    await expect(game.step(assistant("2"))).rejects.toMatchObject({
      code: "model",
      message: "the opponent: They left.",
    });
  });

  test("an environment without another side refuses them", () => {
    const alone = defineEnvironment({
      name: "alone",
      dataset: () => [{ prompt: "?" }],
      rubric: { one: () => 1 },
    });
    const { opponent } = answering([]);
    expect(() => episode(alone(), { prompt: "?" }, { opponent })).toThrow(
      "alone has no other side that someone could play.",
    );
  });
});

test("in an evaluation the environment plays its other side itself", async () => {
  const { rollouts } = await evaluate(nim(), {
    model: async () => ({ message: assistant("1"), finish: "stop" }),
  });
  expect(rollouts.map(({ status }) => status)).toEqual(["scored", "scored", "scored"]);
});
