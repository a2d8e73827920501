// A game of two seats, which people, models or programs take: the player who takes the last match loses.
import { assistantMessage, defineEnvironment, end, invalid } from "@envs/core";
import { episode } from "@envs/core/engine";

type Seat = "first" | "second";

const matches = defineEnvironment({
  name: "take-the-last",
  systemPrompt: "Take 1, 2 or 3 matches. The player who takes the last one loses.",
  dataset: () => [{ prompt: [], matches: 9 }],

  // #region seats
  setup: ({ example }) => ({ left: example.matches, next: "first" as Seat }),

  seats: {
    players: {
      first: { description: "You take matches first." },
      second: { description: "You take matches second.", policy: "careless" },
    },
    turn: ({ state }) => state.next,
    observe({ state: { left, next }, seat }) {
      if (left > 0) return `${left} are left.`;
      return next === seat ? "You win." : "You took the last.";
    },
  },

  respond({ reply, seat, state }) {
    const taken = Number(reply);
    if (![1, 2, 3].includes(taken) || taken > state.left) return invalid("Take 1, 2 or 3 matches.");
    state.left -= taken;
    state.next = seat === "first" ? "second" : "first";
    return state.left === 0 ? end() : [];
  },

  rubric: { win: ({ state, seat }) => state.left === 0 && state.next === seat },
  policies: {
    careless: ({ state, random }) => `${1 + random.int(Math.min(3, state.left))}`,
  },
  // #endregion
});

// #region drive
const example = { prompt: [], matches: 9 };
const game = episode(matches(), example, {
  seat: "first",
  players: {
    second: async ({ messages }) => {
      console.log("second reads:", messages.at(-1)?.content);
      return { message: assistantMessage(messages.length < 3 ? "five" : "3"), finish: "stop" };
    },
  },
});
await game.start();
console.log("first reads:", game.messages.at(-1)?.content);
const { messages } = await game.step(assistantMessage("2"));
console.log("first reads:", messages.at(-1)?.content);
// #endregion
