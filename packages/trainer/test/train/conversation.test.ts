import { assistant, user } from "@envs/core";
import { chatRenderer, trainTokenizer } from "@envs/tiny-model";
import { expect, test } from "vitest";

import { batchOf, lessonOf } from "../../src/train/conversation.ts";

const chat = [user("one"), assistant("two"), user("three"), assistant("four")];
const tokenizer = trainTokenizer(
  chat.map(({ content }) => content),
  { vocabularySize: 64 },
);
const renderer = chatRenderer(tokenizer);
const lesson = lessonOf(chat, renderer);

const spokenText = (): string =>
  tokenizer.decode([...lesson.targets].filter((_, place) => lesson.isSpoken[place]));

test("only what the model says counts, with the token that ends it", () => {
  expect(spokenText()).toBe("two<|end|>four<|end|>");
  expect(lesson.spoken).toBe(lesson.isSpoken.filter(Boolean).length);
});

test("targets are the inputs, one place on", () => {
  expect([...lesson.targets].slice(0, -1)).toEqual([...lesson.inputs].slice(1));
  const whole = renderer.prompt(chat).slice(0, -1);
  expect([lesson.inputs[0], ...lesson.targets]).toEqual(whole);
});

test("every spoken token of a batch has the same weight, and they sum to 1", () => {
  const other = lessonOf([user("x"), assistant("a longer reply than that")], renderer);
  const weights = batchOf([lesson, other]).flatMap((datum) => [...datum.weights]);
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
  expect(new Set(weights.filter((weight) => weight > 0)).size).toBe(1);
});

test("a conversation without a reply has nothing to learn", () => {
  expect(lessonOf([user("hello")], renderer).spoken).toBe(0);
});
