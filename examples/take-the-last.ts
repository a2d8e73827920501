// A game whose opponent a person or another program can play: the player who takes the last match loses.
import { assistant, defineEnvironment, end } from "@envs/core";
import { episode } from "@envs/core/engine";
import * as z from "zod";

const handful = z.enum(["1", "2", "3"], "Take 1, 2 or 3 matches.").transform(Number);

const matches = defineEnvironment({
  name: "take-the-last",
  dataset: () => [
    { prompt: "There are 9 matches. Take 1, 2 or 3; the player who takes the last one loses." },
  ],
  setup: () => ({ left: 9, hasWon: false }),

  // #region respond
  async respond({ reply, state, random, opponent }) {
    state.left -= handful.safeParse(reply).data ?? 1;
    if (state.left <= 0) return end("You took the last.");

    const question = `${state.left} matches are left. How many do you take?`;
    state.left -= opponent === undefined ? 1 + random.int(3) : await opponent(question, handful);
    if (state.left > 0) return `${state.left} are left.`;
    state.hasWon = true;
    return end("You win.");
  },

  opponent: "You take matches second.",
  // #endregion

  rubric: { win: ({ state }) => Number(state.hasWon) },
});

const game = episode(
  matches(),
  { prompt: "There are 9 matches." },
  {
    opponent: async ({ text, problem }) => {
      console.log(problem ?? text);
      return problem === undefined ? "five" : "3";
    },
  },
);
await game.start();
const { messages } = await game.step(assistant("2"));
console.log(messages.at(-1)?.content);
