import { defineEnvironment, end, type EnvironmentFactory, random, textOf } from "@envs/core";

import { sums } from "./tasks.ts";

const rows = sums.rows(random("episodes", 1)).map((row, index) => ({ ...row, id: `${index}` }));

/** Sums with two tries. `feedback` is what the environment says after a first reply that is wrong. */
export function twoTries(
  feedback: (answer: string, said: string) => string,
  reward: (state: { readonly said: readonly string[]; readonly answer: string }) => number = ({
    said,
    answer,
  }) => (said[0] === answer ? 1 : said.at(-1) === answer ? 0.5 : 0),
): EnvironmentFactory {
  return defineEnvironment({
    name: "two-tries",
    dataset: () => rows,
    setup: () => ({ said: [] as string[] }),
    respond({ reply, state, example: { answer } }) {
      state.said.push(reply.trim());
      if (reply.trim() === answer || state.said.length === 2) return end();
      return feedback(answer, reply.trim());
    },
    rubric: {
      right: ({ state: { said }, example: { answer } }) => reward({ said, answer }),
    },
    policies: { right: ({ example }) => example.answer },
  }) as unknown as EnvironmentFactory;
}

/** Guess a number from 1 to 16. */
export function guessing(
  reward: (turns: number, isFound: boolean) => number,
  hint: (guess: number, secret: number) => string = (guess, secret) =>
    guess < secret ? "Higher." : "Lower.",
): EnvironmentFactory {
  return defineEnvironment({
    name: "guessing",
    dataset: () =>
      Array.from({ length: 320 }, (_, index) => ({
        id: `${index}`,
        prompt: "Guess my number from 1 to 16.",
        secret: 1 + ((index * 7) % 16),
      })),
    setup: () => ({ turns: 0, isFound: false }),
    respond({ reply, state, example: { secret } }) {
      state.turns += 1;
      const guess = Number(reply.trim());
      state.isFound = guess === secret;
      if (state.isFound || state.turns === 6) return end();
      return Number.isNaN(guess) ? "Reply with a number." : hint(guess, secret);
    },
    rubric: { found: ({ state: { turns, isFound } }) => reward(turns, isFound) },
    policies: {
      bisect({ messages }) {
        let [low, high] = [1, 16];
        let guess = 8;
        for (const { role, content } of messages) {
          if (role === "assistant") guess = Number(content);
          if (role === "user" && textOf(content).startsWith("Higher.")) low = guess + 1;
          if (role === "user" && textOf(content).startsWith("Lower.")) high = guess - 1;
        }
        return String((low + high) >> 1);
      },
    },
  }) as unknown as EnvironmentFactory;
}

/** Take one to three sticks from a heap; the last stick wins. The opponent takes at random. */
export function sticks(): EnvironmentFactory {
  return defineEnvironment({
    name: "sticks",
    dataset: () =>
      Array.from({ length: 300 }, (_, index) => {
        const heap = 5 + (index % 8);
        return { id: `${index}`, prompt: `The heap has ${heap} sticks.`, heap };
      }),
    setup: ({ example }) => ({ heap: example.heap, result: 0 }),
    respond({ reply, state, random: draw }) {
      const taken = Number(reply.trim());
      if (![1, 2, 3].includes(taken) || taken > state.heap) return end();
      state.heap -= taken;
      if (state.heap === 0) {
        state.result = 1;
        return end();
      }
      state.heap -= Math.min(state.heap, 1 + draw.int(3));
      return state.heap === 0 ? end() : `The heap has ${state.heap} sticks.`;
    },
    rubric: { won: ({ state }) => state.result },
    policies: {
      perfect({ state }) {
        return String(state.heap % 4 === 0 ? 1 : state.heap % 4);
      },
    },
  }) as unknown as EnvironmentFactory;
}
