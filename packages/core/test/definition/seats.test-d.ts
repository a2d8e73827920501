import { expectTypeOf, test } from "vitest";

import {
  defineEnvironment,
  evaluate,
  type InferSeat,
  type Model,
  rollout,
} from "../../src/index.ts";

declare const model: Model;

const game = defineEnvironment({
  name: "game",
  dataset: () => [{ prompt: "Go.", cards: { first: 1, second: 2 } }],
  setup: () => ({ moves: [] as string[] }),
  seats: {
    players: {
      first: { prompt: ({ example }) => `You hold ${example.cards.first}.` },
      second: { policy: "call", systemPrompt: "You are second." },
    },
    turn({ state, example }) {
      expectTypeOf(state).toEqualTypeOf<{ moves: string[] }>();
      expectTypeOf(example.cards.first).toEqualTypeOf<number>();
      return state.moves.length % 2 === 0 ? "first" : "second";
    },
    observe: ({ seat, example }) => `${example.cards[seat]}`,
  },
  respond({ seat, state, reply }) {
    expectTypeOf(seat).toEqualTypeOf<"first" | "second">();
    state.moves.push(reply);
    return [];
  },
  rubric: { payoff: ({ seat, example }) => example.cards[seat] },
  policies: { call: ({ seat, example }) => `${example.cards[seat]}` },
});

const alone = defineEnvironment({
  name: "alone",
  dataset: () => [{ prompt: "Go." }],
  respond({ seat }) {
    expectTypeOf(seat).toEqualTypeOf<undefined>();
    return "Again.";
  },
  rubric: { one: () => 1 },
});

test("infers the names of the seats", () => {
  expectTypeOf<InferSeat<typeof game>>().toEqualTypeOf<"first" | "second">();
  expectTypeOf<InferSeat<typeof alone>>().toEqualTypeOf<never>();
});

test("accepts only names of seats as keys of models", async () => {
  await evaluate(game(), { model });
  await evaluate(game(), { model: { first: model } });
  // @ts-expect-error -- a misspelt seat
  await evaluate(game(), { model: { frist: model } });
  // @ts-expect-error -- an environment without seats
  await evaluate(alone(), { model: { first: model } });
  await rollout(
    game(),
    { prompt: "Go.", cards: { first: 1, second: 2 } },
    { model: { second: model } },
  );
});

test("rejects a turn of an unknown seat", () => {
  defineEnvironment({
    name: "wrong",
    dataset: () => [{ prompt: "Go." }],
    seats: {
      players: { first: {} },
      // @ts-expect-error -- not a seat
      turn: () => "third",
    },
    rubric: { one: () => 1 },
  });
});
