import { expect, test } from "vitest";
import * as z from "zod";

import { defineEnvironment, end, evaluate, rollout } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

/** The same value without `readonly`, as an author without TypeScript sees it. */
interface Mutable {
  deck: number[];
  prompt: string;
}
const mutable = (example: unknown): Mutable => example as Mutable;

const rows = [{ id: "a", prompt: "Draw the first card.", deck: [1, 2, 3, 4] }];
const cards = defineEnvironment({
  name: "cards",
  dataset: () => rows,
  setup: ({ example }) => ({ first: mutable(example).deck.shift() }),
  rubric: { first: ({ state }) => Number(state.first === 1) },
});
const model = scriptedModel("Done.");

test.each([1, 4])("gives each of %i rollouts its own example", async (rolloutsPerExample) => {
  const { rollouts, reward } = await evaluate(cards(), { model, rolloutsPerExample });
  expect(reward.mean).toBe(1);
  for (const { example } of rollouts) expect(example.deck).toEqual([1, 2, 3, 4]);
  expect(rows[0]!.deck).toEqual([1, 2, 3, 4]);
});

test("does not change the example that the caller of rollout() passes", async () => {
  const example = { prompt: "Draw.", deck: [1, 2] };
  const played = await rollout(cards(), { id: "a", ...example }, { model });
  expect(played).toMatchObject({ reward: 1, example });
  expect(example.deck).toEqual([1, 2]);
});

test("records the row as the dataset yielded it", async () => {
  const environment = defineEnvironment({
    name: "reused-row",
    *dataset() {
      const row = { prompt: "0", deck: [0] };
      for (let number = 0; number < 3; number += 1) {
        row.prompt = `${number}`;
        row.deck[0] = number;
        yield row;
      }
    },
    rubric: { number: ({ example }) => example.deck[0]! },
  });
  const { rollouts } = await evaluate(environment(), { model, rolloutsPerExample: 1 });
  expect(rollouts.map(({ example }) => example)).toEqual(
    [0, 1, 2].map((number) => ({ prompt: `${number}`, deck: [number] })),
  );
  expect(rollouts.map((played) => played.status === "scored" && played.reward)).toEqual([0, 1, 2]);
});

test("gives each rollout its own few-shot messages and prompt", async () => {
  const environment = defineEnvironment({
    name: "few-shot",
    dataset: () => [{ prompt: [{ role: "user", content: "Go." }] }],
    respond({ messages }) {
      for (const message of messages) (message as { content: string }).content += "!";
      return end();
    },
    episode: { fewShot: [{ role: "user", content: "Show me." }] },
    rubric: { one: () => 1 },
  });
  for (const { prompt } of (await evaluate(environment(), { model })).rollouts)
    expect(prompt.map(({ content }) => content)).toEqual(["Show me.!", "Go.!"]);
});

const adding = (list: unknown): unknown => (list as unknown[]).push(0);

test.each([
  { what: "the config", respond: adding },
  { what: "the conversation that scores receive", score: adding },
  { what: "the rollouts that a group score receives", group: adding },
  { what: "the tools of a request", play: (tools: unknown) => adding(tools) },
])("fails a rollout whose code changes $what", async ({ respond, score, group, play }) => {
  const environment = defineEnvironment({
    name: "adding",
    config: z.object({ words: z.array(z.string()).default(["b", "a"]) }),
    dataset: () => [{ prompt: "Go." }],
    tools: { look: { description: "Looks", input: z.object({}), execute: () => "" } },
    respond({ config }) {
      respond?.(config.words);
      return end();
    },
    rubric: {
      one({ completion }) {
        score?.(completion);
        return 1;
      },
      all: {
        group(rollouts) {
          group?.(rollouts);
          return rollouts.map(() => 1);
        },
      },
    },
  });
  const { rollouts, counts } = await evaluate(environment(), {
    model: scriptedModel(({ tools }) => {
      play?.(tools);
      return "Done.";
    }),
  });
  expect(counts).toMatchObject({ failed: 3, scored: 0 });
  for (const played of rollouts)
    expect(played.status === "failed" && played.error.message).toMatch(/read-only: change a copy/);
});

test("does not change the sampling options that the caller passes", async () => {
  const sampling = { stop: ["."] };
  const greedy = scriptedModel((request) => {
    adding(request.sampling?.stop);
    return "Done.";
  });
  const { counts } = await evaluate(cards(), { model: greedy, sampling });
  expect(counts.failed).toBe(3);
  expect(sampling).toEqual({ stop: ["."] });
});
