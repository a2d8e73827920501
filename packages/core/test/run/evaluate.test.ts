import { expect, test } from "vitest";
import * as z from "zod";

import {
  defineEnvironment,
  end,
  evaluate,
  type Model,
  policy,
  rollout,
  rollouts,
  textOf,
} from "../../src/index.ts";

const count = defineEnvironment({
  name: "count",
  config: z.object({ to: z.int().min(1).default(3) }),
  *dataset({ config }) {
    for (let from = 0; ; from += 1)
      yield { prompt: `Count from ${from}.`, from, to: from + config.to };
  },
  setup: ({ example }) => ({ next: example.from }),
  respond({ reply, state, example }) {
    if (Number(reply) !== state.next) return end("Wrong.");
    state.next += 1;
    return state.next === example.to ? end() : "Go on.";
  },
  rubric: {
    done: ({ state, example }) => (state.next - example.from) / (example.to - example.from),
    replies: { weight: 0, score: ({ turns }) => turns },
  },
  policies: {
    right: ({ state }) => String(state.next),
    wrong: () => "x",
    sometimes: ({ state, random, parameter }) =>
      random.next() < (parameter ?? 0.5) ? String(state.next) : "x",
  },
});

test("gives a correct policy the full reward", async () => {
  const evaluation = await evaluate(count(), { model: policy("right") });
  expect(evaluation.counts).toEqual({
    total: 15,
    scored: 15,
    failed: 0,
    truncated: 0,
    filtered: 0,
  });
  expect(evaluation.reward).toMatchObject({ mean: 1, std: 0 });
  expect(evaluation.scores.replies.mean).toBe(3);
  expect(evaluation.passAtK).toEqual({ 1: 1, 2: 1 });
});

test("returns the same rollouts for the same seed at any concurrency", async () => {
  const play = async (concurrency: number, seed: number) => {
    const { rollouts: played } = await evaluate(count(), {
      model: policy("sometimes(0.7)"),
      examples: 20,
      concurrency,
      seed,
    });
    return played.map(({ exampleKey, completion }) => [exampleKey, completion]);
  };
  expect(await play(1, 7)).toEqual(await play(50, 7));
  expect(await play(1, 7)).not.toEqual(await play(1, 8));
});

test("a model that throws fails only its own rollouts", async () => {
  const model: Model = async ({ messages }) => {
    if (textOf(messages[0]!.content).includes("from 2.")) throw new Error("out of paper");
    return { message: { role: "assistant", content: "x" }, finish: "stop" };
  };
  const evaluation = await evaluate(count(), { model });
  expect(evaluation.failures).toEqual({ model: 3 });
  expect(evaluation.counts.scored).toBe(12);
  const failed = evaluation.rollouts.find(({ status }) => status === "failed");
  expect(failed).toMatchObject({
    status: "failed",
    error: {
      code: "model",
      chain: ["RolloutError: the model: out of paper", "Error: out of paper"],
    },
  });
  expect(failed).not.toHaveProperty("reward");
});

test("stops the remaining rollouts when the loop ends early", async () => {
  let calls = 0;
  const model: Model = async () => {
    calls += 1;
    return { message: { role: "assistant", content: "x" }, finish: "stop" };
  };
  for await (const _ of rollouts(count(), { model, examples: Infinity, concurrency: 4 })) break;
  const soon = calls;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls).toBe(soon);
});

test.each([undefined, "gpt-5", {}])(
  "rejects the model %j, which is not a function",
  async (model) => {
    const expected = /^The model is .*, not a function\. Pass a model such as openai\("gpt-5"\)/;
    const options = { model: model as never };
    await expect(evaluate(count(), options)).rejects.toThrow(expected);
    await expect(rollout(count(), { prompt: "x", from: 0, to: 1 }, options)).rejects.toThrow(
      expected,
    );
  },
);

test("rejects the factory in place of the environment", async () => {
  await expect(evaluate(count as never, { model: policy("right") })).rejects.toThrow(
    "The environment is the factory of count. Call it, also without a config, and pass its result.",
  );
});

test("fails before the first rollout if two examples of an array have the same id", async () => {
  const environment = defineEnvironment({
    name: "twins",
    dataset: () => ["a", "b", "a"].map((id) => ({ id, prompt: id })),
    rubric: { one: () => 1 },
  });
  const events: string[] = [];
  const run = evaluate(environment(), {
    model: async () => ({ message: { role: "assistant", content: "" }, finish: "stop" }),
    onEvent: ({ type }) => events.push(type),
  });
  await expect(run).rejects.toThrow("Examples 0 and 2");
  expect(events).toEqual([]);
});
