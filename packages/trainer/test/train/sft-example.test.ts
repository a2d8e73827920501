import { assistantMessage, userMessage } from "@envs/core";
import { chatRenderer, trainTokenizer } from "@envs/tiny-model";
import { expect, test } from "vitest";

import { sftBatch, sftExample } from "../../src/train/sft-example.ts";

const chat = [
  userMessage("one"),
  assistantMessage("two"),
  userMessage("three"),
  assistantMessage("four"),
];
const tokenizer = trainTokenizer(
  chat.map(({ content }) => content),
  { vocabularySize: 64 },
);
const renderer = chatRenderer(tokenizer);
const example = sftExample(chat, renderer);

test("only replies are trained, including their stop token", () => {
  const trained = [...example.targets].filter((_, index) => example.isTrained[index]);
  expect(tokenizer.decode(trained)).toBe("two<|end|>four<|end|>");
  expect(example.trainedTokens).toBe(trained.length);
});

test("targets are the inputs shifted by one", () => {
  expect([...example.targets].slice(0, -1)).toEqual([...example.inputs].slice(1));
  const whole = renderer.prompt(chat).slice(0, -1);
  expect([example.inputs[0], ...example.targets]).toEqual(whole);
});

test("the trained tokens of a batch have equal weights with the sum 1", () => {
  const other = sftExample(
    [userMessage("x"), assistantMessage("a longer reply than that")],
    renderer,
  );
  const weights = sftBatch([example, other]).flatMap((datum) => [...datum.weights]);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
  expect(new Set(weights.filter((weight) => weight > 0)).size).toBe(1);
});

test("a conversation without a reply has no trained tokens", () => {
  expect(sftExample([userMessage("hello")], renderer).trainedTokens).toBe(0);
});
