import { expect, test } from "vitest";

import { summarizer } from "../../src/engine.ts";
import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  type Model,
  RolloutError,
  textOf,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

/** Scores the reply: numbers as they are, `na` as not applicable. */
const numbers = defineEnvironment({
  name: "numbers",
  dataset: () => Array.from({ length: 8 }, (_, index) => ({ prompt: `${index}`, id: `n${index}` })),
  rubric: {
    value: ({ reply }) => (reply === "na" ? null : Number(reply) || 0),
    half: { weight: 0.5, score: ({ reply }) => (reply === "na" ? 1 : 0) },
  },
});

const says = (answers: Readonly<Record<string, readonly string[]>>): Model => {
  const turnsOf: Record<string, number> = {};
  return async ({ messages }) => {
    const content = textOf(messages[0]!.content);
    const turn = (turnsOf[content] = (turnsOf[content] ?? 0) + 1);
    const reply = answers[content]?.[turn - 1] ?? "error";
    if (reply === "error") throw new RolloutError("model", "broken");
    return {
      message: assistantMessage(reply),
      finish: reply === "4" ? "length" : "stop",
      usage: { inputTokens: 10, outputTokens: 1 },
    };
  };
};

test("counts, averages and groups rollouts, and only counts failures", async () => {
  const model = says({ 0: ["0", "1"], 1: ["4", "error"], 2: ["na", "1"] });
  const { rollouts: _, ...summary } = await evaluate(numbers(), {
    model,
    examples: 3,
    rolloutsPerExample: 2,
    concurrency: 1,
  });
  expect(summary).toEqual({
    counts: { total: 6, scored: 5, failed: 1, truncated: 1, filtered: 0 },
    reward: expect.objectContaining({ count: 5, mean: 1.3, min: 0, max: 4 }),
    scores: {
      value: expect.objectContaining({ count: 4, mean: 1.5, std: 1.5, min: 0, max: 4 }),
      half: expect.objectContaining({ count: 5, mean: 0.2 }),
    },
    failures: { model: 1 },
    retries: {},
    failureReasons: [expect.objectContaining({ code: "model", count: 1, exampleIndex: 1 })],
    stopReasons: { end: 5 },
    // Of example 0 one of two passes, of example 1 its only one, of example 2 both.
    passAtK: { 1: (0.5 + 1 + 1) / 3, 2: 1 },
    passHatK: { 1: (0.5 + 1 + 1) / 3, 2: 0.5 },
    histogram: expect.any(Array),
    usage: { inputTokens: 50, outputTokens: 5, unknownRollouts: 0 },
    turns: expect.objectContaining({ count: 5, mean: 1 }),
    toolErrors: { count: 0, message: undefined },
    tools: {},
  });
});

test("reports the three most frequent reasons of failures, and a rollout of each", async () => {
  const messages = ["Timeout after 10 s.", "No such tool.", "Timeout after 12 s.", "Bad key."];
  const model: Model = async ({ messages: [question] }) => {
    const index = Number(question?.content);
    throw new Error(
      index < 4 ? messages[index] : index < 6 ? "Bad key." : `Rare ${"!".repeat(index)}`,
    );
  };
  const { failureReasons } = await evaluate(numbers(), {
    model,
    examples: 8,
    rolloutsPerExample: 1,
  });
  expect(failureReasons).toMatchObject([
    { code: "model", count: 3, exampleIndex: 3, rolloutIndex: 0 },
    { code: "model", count: 2, exampleIndex: 0, rolloutIndex: 0 },
    { code: "model", count: 1, exampleIndex: 1, rolloutIndex: 0 },
  ]);
  expect(failureReasons.map(({ message }) => message)).toEqual([
    expect.stringContaining("Bad key."),
    expect.stringContaining("Timeout after 10 s."),
    expect.stringContaining("No such tool."),
  ]);
});

test("counts the rollouts whose usage is unknown, and adds the known tokens", async () => {
  const model: Model = async ({ messages }) => ({
    message: assistantMessage("1"),
    finish: "stop",
    usage: messages[0]?.content === "0" ? undefined : { inputTokens: 10, outputTokens: 1 },
  });
  const { usage, rollouts } = await evaluate(numbers(), {
    model,
    examples: 2,
    rolloutsPerExample: 2,
  });
  expect(usage).toEqual({ inputTokens: 20, outputTokens: 2, unknownRollouts: 2 });
  expect(rollouts.map((rollout) => rollout.usage?.outputTokens)).toEqual([
    undefined,
    undefined,
    1,
    1,
  ]);
});

test("counts the rollouts with a filtered reply", async () => {
  const model: Model = async ({ messages }) => ({
    message: assistantMessage("1"),
    finish: messages[0]?.content === "0" ? "content_filter" : "stop",
  });
  const { counts, rollouts } = await evaluate(numbers(), {
    model,
    examples: 3,
    rolloutsPerExample: 1,
  });
  expect(counts).toMatchObject({ scored: 3, filtered: 1 });
  expect(rollouts.map(({ isFiltered }) => isFiltered)).toEqual([true, false, false]);
});

test("omits pass estimates for k without enough scored rollouts", async () => {
  const model = says({ 0: ["1", "error", "error"], 1: ["1", "0", "error"] });
  const { passAtK } = await evaluate(numbers(), { model, examples: 2, concurrency: 1 });
  expect(passAtK).toEqual({ 1: 0.75, 2: 1 });
});

test("applies the pass threshold", async () => {
  const options = { model: scriptedModel("0.7"), examples: 1, rolloutsPerExample: 1 };
  expect((await evaluate(numbers(), options)).passAtK).toEqual({ 1: 1 });
  expect((await evaluate(numbers(), { ...options, passThreshold: 0.8 })).passAtK).toEqual({ 1: 0 });
  expect((await evaluate(numbers(), { ...options, passThreshold: 0.7 })).passAtK).toEqual({ 1: 1 });
});

test("has no means without scored rollouts", async () => {
  const { reward, passAtK, counts, histogram } = await evaluate(numbers(), {
    model: scriptedModel(new Error("broken")),
    examples: 1,
  });
  expect({ reward: reward.mean, passAtK, histogram }).toEqual({
    reward: null,
    passAtK: {},
    histogram: [],
  });
  expect(counts).toEqual({ total: 3, scored: 0, failed: 3, truncated: 0, filtered: 0 });
});

test("supports a stop condition with the name of an object's method", async () => {
  const { stopReasons } = await evaluate(
    defineEnvironment({
      name: "awkward",
      dataset: () => [{ prompt: "Hi." }],
      respond: () => "go on",
      episode: { stop: { constructor: ({ turns }: { turns: number }) => turns > 1 } },
      rubric: { one: () => 1 },
    })(),
    { model: scriptedModel("hello") },
  );
  expect(stopReasons).toEqual({ constructor: 3 });
});

test("can be read at any time", async () => {
  const sum = summarizer(numbers());
  const { rollouts } = await evaluate(numbers(), { model: scriptedModel("1"), examples: 2 });
  const means = rollouts.map((rollout) => {
    sum.add(rollout);
    return sum.summary().counts.scored;
  });
  expect(means).toEqual([1, 2, 3, 4, 5, 6]);
});
