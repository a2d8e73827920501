import { expectTypeOf, test } from "vitest";
import * as z from "zod";

import {
  type Content,
  defineEnvironment,
  end,
  evaluate,
  imagePart,
  type InferExample,
  type InferScoreName,
  type InferState,
  type Model,
  userMessage,
} from "../../src/index.ts";

declare const model: Model;

const guess = defineEnvironment({
  name: "guess",
  config: z.object({ high: z.number().default(10) }),
  systemPrompt: ({ config }) => `Guess a number up to ${config.high.toFixed()}.`,
  *dataset({ config, random }) {
    for (;;) yield { prompt: "Guess.", secret: random.int(config.high) };
  },
  setup: ({ example }) => ({ left: example.secret, tries: 0 }),
  tools: {
    hint: {
      description: "Ask for a hint",
      input: z.object({ kind: z.enum(["odd", "size"]), depth: z.int().default(1) }),
      execute(input, { state, config, example }) {
        expectTypeOf(input).toEqualTypeOf<{ kind: "odd" | "size"; depth: number }>();
        expectTypeOf(state).toEqualTypeOf<{ left: number; tries: number }>();
        expectTypeOf(config.high).toEqualTypeOf<number>();
        expectTypeOf(example.secret).toEqualTypeOf<number>();
        return "no";
      },
    },
    give_up: {
      description: "Stop",
      input: z.object({}),
      execute: (_input, { state }) => end(`You had ${state.tries} tries.`),
    },
  },
  respond({ reply, state, example }) {
    state.tries += 1;
    return Number(reply) === example.secret ? end("Yes.") : "No.";
  },
  episode: {
    maxTurns: ({ config }) => config.high,
    stop: { tired: ({ state }) => state.tries > 3 },
  },
  game: {
    choices({ state, example, config, turns }) {
      expectTypeOf(state).toEqualTypeOf<{ left: number; tries: number }>();
      expectTypeOf(config.high).toEqualTypeOf<number>();
      expectTypeOf(turns).toEqualTypeOf<number>();
      return [String(example.secret), { reply: "0", label: "Nothing" }];
    },
    board: ({ state, example }) => ({
      label: `${example.secret}`,
      rows: [[{ text: `${state.left}`, label: "left", reply: "0" }]],
    }),
  },
  rubric: {
    right: ({ reply, example }) => (Number(reply) === example.secret ? 1 : 0),
    best: {
      enabled({ config }) {
        expectTypeOf(config.high).toEqualTypeOf<number>();
        return config.high > 1;
      },
      group: (rollouts) => rollouts.map(({ state }) => -state.tries),
    },
  },
  metrics: {
    tries: ({ state }) => state.tries,
    last: { group: (rollouts) => rollouts.map(({ example }) => example.secret) },
  },
  policies: { knows: ({ example, parameter }) => String(example.secret + (parameter ?? 0)) },
});

test("infers the types of the example, the state and the score names", () => {
  expectTypeOf<InferExample<typeof guess>>().toEqualTypeOf<{ prompt: string; secret: number }>();
  expectTypeOf<InferState<typeof guess>>().toEqualTypeOf<{ left: number; tries: number }>();
  expectTypeOf<InferScoreName<typeof guess>>().toEqualTypeOf<"right" | "best" | "tries" | "last">();
});

test("makes examples and the config read-only at every depth", () => {
  defineEnvironment({
    name: "cards",
    config: z.object({ suits: z.array(z.string()).default([]) }),
    dataset: () => [{ prompt: "Draw.", deck: [1, 2], table: { cards: [3] } }],
    setup({ example, config }) {
      expectTypeOf(example).toEqualTypeOf<{
        readonly prompt: string;
        readonly deck: readonly number[];
        readonly table: { readonly cards: readonly number[] };
      }>();
      expectTypeOf(config.suits).toEqualTypeOf<readonly string[]>();
      // @ts-expect-error -- all rollouts of the example would see it
      example.deck.shift();
      return { deck: [...example.deck] };
    },
    respond({ state, example }) {
      state.deck.shift();
      // @ts-expect-error -- all rollouts of the example would see it
      example.table.cards.push(4);
      return "Next.";
    },
    rubric: {
      // @ts-expect-error -- another score may read it
      one: ({ example }) => example.deck.pop() ?? 0,
    },
  });
});

test("infers the type of the config and checks it", () => {
  guess();
  guess({ high: 3 });
  // @ts-expect-error -- a misspelt option
  guess({ hihg: 3 });
  // @ts-expect-error -- a wrong type
  guess({ high: "3" });
});

test("types the summary by the names of the scores", async () => {
  const evaluation = await evaluate(guess(), { model });
  expectTypeOf(evaluation.scores.right.mean).toEqualTypeOf<number | null>();
  expectTypeOf(evaluation.scores.tries.mean).toEqualTypeOf<number | null>();
  // @ts-expect-error -- a misspelt score
  void evaluation.scores.rihgt;
  for (const rollout of evaluation.rollouts) {
    expectTypeOf(rollout.example.secret).toEqualTypeOf<number>();
    // @ts-expect-error -- a failed rollout has no reward, so the caller must check the status first
    void rollout.reward;
    if (rollout.status === "scored") expectTypeOf(rollout.reward).toEqualTypeOf<number>();
  }
});

test("infers the example type from an array, a generator and splits", () => {
  const rubric = { one: () => 1 };
  const array = defineEnvironment({ name: "a", dataset: () => [{ prompt: "a", n: 1 }], rubric });
  const generator = defineEnvironment({
    name: "b",
    async *dataset() {
      yield { prompt: "a", n: 1 };
    },
    rubric,
  });
  const splits = defineEnvironment({
    name: "c",
    dataset: async () => ({
      train: [{ prompt: "a", n: 1 }],
      eval: (function* () {
        yield { prompt: "b", n: 2 };
      })(),
    }),
    rubric,
  });
  const chat = defineEnvironment({
    name: "d",
    dataset: () => [{ prompt: [{ role: "user", content: "hello" }], n: 1 }],
    rubric: { one: ({ example }) => example.n },
  });
  type Row = { prompt: string; n: number };
  expectTypeOf<InferExample<typeof array>>().toEqualTypeOf<Row>();
  expectTypeOf<InferExample<typeof generator>>().toEqualTypeOf<Row>();
  expectTypeOf<InferExample<typeof splits>>().toEqualTypeOf<Row>();
  expectTypeOf<InferExample<typeof chat>["n"]>().toEqualTypeOf<number>();
});

test("end() accepts the results of respond and of tools", () => {
  const base = { name: "x", dataset: () => [{ prompt: "?" }], rubric: { one: () => 1 } };
  defineEnvironment({ ...base, respond: () => end() });
  defineEnvironment({ ...base, respond: () => end("Bye.") });
  defineEnvironment({ ...base, respond: () => end([{ role: "user", content: "Bye." }]) });
  defineEnvironment({
    ...base,
    respond: async ({ turns }) => (turns > 1 ? end("Bye.") : "Go on."),
  });
  // @ts-expect-error -- respond() returns text or messages, so it ends with them too
  defineEnvironment({ ...base, respond: () => end({ found: 3 }) });
  const tool = { description: "Ends", input: z.object({}) };
  defineEnvironment({ ...base, tools: { stop: { ...tool, execute: () => end({ found: 3 }) } } });
  defineEnvironment({
    ...base,
    tools: { stop: { ...tool, execute: () => end([{ role: "user", content: "Bye." }]) } },
  });
});

test("a score is a number, a boolean or null", () => {
  defineEnvironment({
    name: "x",
    dataset: () => [{ prompt: "?", answer: "a" }],
    rubric: {
      right: ({ reply, example }) => reply === example.answer,
      later: { score: async () => false },
      all: { group: (rollouts) => rollouts.map(({ turns }) => turns > 1) },
      none: () => null,
    },
  });
});

test("rejects invalid definitions", () => {
  defineEnvironment({
    name: "x",
    // @ts-expect-error -- an example needs a prompt
    dataset: () => [{ question: "?" }],
    rubric: {},
  });
  defineEnvironment({
    name: "x",
    dataset: () => [{ prompt: "?" }],
    // @ts-expect-error -- a score is a number
    rubric: { one: () => "1" },
  });
  defineEnvironment({
    name: "x",
    dataset: () => [{ prompt: "?", answer: "a" }],
    rubric: {
      // @ts-expect-error -- a misspelt field of the example
      one: ({ example }) => example.anwser.length,
    },
  });
  defineEnvironment({
    name: "x",
    dataset: () => [{ prompt: "?" }],
    rubric: {},
    metrics: {
      // @ts-expect-error -- a metric has no weight
      one: { weight: 0.5, score: () => 1 },
    },
  });
  defineEnvironment({
    name: "x",
    dataset: () => [{ prompt: "?" }],
    setup: () => ({ n: 0 }),
    respond: ({ state }) => {
      // @ts-expect-error -- a misspelt field of the state
      state.m = 1;
      return "next";
    },
    rubric: { one: ({ state }) => state.n },
  });
});

test("rejects choices that are not replies, and boards without labels", () => {
  const base = {
    name: "coin",
    dataset: () => [{ prompt: "Heads or tails?" }],
    rubric: { zero: () => 0 },
  };
  // @ts-expect-error A choice is a text or has a reply.
  defineEnvironment({ ...base, game: { choices: () => [{ label: "heads" }] } });
  // @ts-expect-error A position has no random numbers: choices are pure.
  defineEnvironment({ ...base, game: { choices: ({ random }) => [String(random)] } });
  const board = () => ({ label: "coin", rows: [[{ text: "heads" }]] });
  // @ts-expect-error A square needs a label for screen readers.
  defineEnvironment({ ...base, game: { board } });
});

test("infers the types of nested hooks in any order", () => {
  defineEnvironment({
    name: "early",
    config: z.object({ turns: z.int().default(3) }),
    episode: {
      maxTurns: ({ config }) => config.turns,
      fewShot: ({ config }) => [userMessage(`${config.turns}`)],
    },
    dataset: ({ config }) => [{ prompt: "?", number: config.turns }],
    setup: ({ example }) => ({ left: example.number }),
    rubric: { left: ({ state }) => state.left },
  });
});

test("rejects unknown keys", () => {
  const base = { name: "coin", dataset: () => [{ prompt: "?" }] };
  // @ts-expect-error -- respond
  defineEnvironment({ ...base, rubric: { zero: () => 0 }, respnd: () => "Again." });
  // @ts-expect-error -- choices
  defineEnvironment({ ...base, rubric: { zero: () => 0 }, game: { choice: () => [] } });
  // @ts-expect-error -- maxTurns belongs to episode
  defineEnvironment({ ...base, rubric: { zero: () => 0 }, maxTurns: 3 });
});

test("messages of text have text as their content, also in the example", () => {
  expectTypeOf(userMessage("Hello.").content).toEqualTypeOf<string>();
  expectTypeOf(
    userMessage([imagePart("https://example.com/cat.png")]).content,
  ).toEqualTypeOf<Content>();
  defineEnvironment({
    name: "text",
    dataset: () => [{ prompt: [userMessage("Hello.")] }],
    rubric: {
      short: ({ example, reply }) => {
        expectTypeOf(example.prompt[0]!.content).toEqualTypeOf<string>();
        expectTypeOf(reply).toEqualTypeOf<string>();
        return 1;
      },
    },
  });
});
