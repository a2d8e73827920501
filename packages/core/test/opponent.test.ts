import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { episode, type Opponent, type OpponentQuestion, replay } from "../src/engine.ts";
import { assistant, defineEnvironment, end, evaluate } from "../src/index.ts";

const handful = z
  .string()
  .refine((text) => ["1", "2", "3"].includes(text), "Take 1, 2 or 3.")
  .transform(Number);

/** Nim: the player that takes the last match loses. */
const nim = defineEnvironment({
  name: "nim",
  dataset: () => [{ prompt: "12 matches.", matches: 12 }],
  setup: ({ example }) => ({ matches: example.matches, winner: "" }),
  async respond({ reply, state, opponent, random }) {
    state.matches -= Number(reply) || 1;
    if (state.matches < 1) return end("You took the last.");
    const question = `${state.matches} are left.`;
    state.matches -= opponent === undefined ? 1 + random.int(3) : await opponent(question, handful);
    if (state.matches < 1) state.winner = "model";
    return state.matches < 1 ? end("You win.") : `${state.matches} matches.`;
  },
  opponent: "You take matches second.",
  rubric: { win: ({ state }) => Number(state.winner === "model") },
});

const example = { prompt: "12 matches.", matches: 12 };

function scriptedOpponent(answers: readonly string[]): {
  opponent: Opponent;
  questions: OpponentQuestion[];
} {
  const questions: OpponentQuestion[] = [];
  const left = [...answers];
  const opponent: Opponent = async (question) => {
    questions.push(question);
    return left.shift() ?? "1";
  };
  return { opponent, questions };
}

describe("a caller that plays the opponent", () => {
  test("receives the question of respond(), which uses its answer", async () => {
    const { opponent, questions } = scriptedOpponent(["3"]);
    const game = episode(nim(), example, { opponent });
    await game.start();
    const { messages } = await game.step(assistant("2"));
    expect(questions).toEqual([{ text: "10 are left." }]);
    expect(messages).toEqual([{ role: "user", content: "7 matches." }]);
  });

  test("is asked again, with the problem, after an invalid answer", async () => {
    const { opponent, questions } = scriptedOpponent(["all of them", "0", "2"]);
    const game = episode(nim(), example, { opponent });
    await game.start();
    await game.step(assistant("2"));
    const problem = "Take 1, 2 or 3.";
    const text = "10 are left.";
    expect(questions).toEqual([{ text }, { text, problem }, { text, problem }]);
    expect(game.state.matches).toBe(8);
  });

  test("leads to the same state with the same messages and answers", async () => {
    const move = fc.constantFrom("1", "2", "3");
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 6 }), fc.array(move), async (moves, answers) => {
        const completion = moves.map(assistant);
        const play = () =>
          replay(nim(), example, { completion, opponent: scriptedOpponent(answers).opponent });
        const [once, again] = [await play(), await play()];
        expect(again.messages).toEqual(once.messages);
        expect(again.state).toEqual(once.state);
      }),
    );
  });

  test("fails the rollout with the code model when it throws", async () => {
    const opponent: Opponent = () => Promise.reject(new Error("They left."));
    const game = episode(nim(), example, { opponent });
    await game.start();
    await expect(game.step(assistant("2"))).rejects.toMatchObject({
      code: "model",
      message: "the opponent: They left.",
    });
  });

  test("is rejected by an environment without `opponent`", () => {
    const alone = defineEnvironment({
      name: "alone",
      dataset: () => [{ prompt: "?" }],
      rubric: { one: () => 1 },
    });
    const { opponent } = scriptedOpponent([]);
    expect(() => episode(alone(), { prompt: "?" }, { opponent })).toThrow(
      "alone has no opponent that a caller can play",
    );
  });
});

test("an environment plays the opponent itself in an evaluation", async () => {
  const { rollouts } = await evaluate(nim(), {
    model: async () => ({ message: assistant("1"), finish: "stop" }),
  });
  expect(rollouts.map(({ status }) => status)).toEqual(["scored", "scored", "scored"]);
});
