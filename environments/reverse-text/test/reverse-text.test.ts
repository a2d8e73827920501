import {
  assistantMessage,
  ConfigError,
  evaluate,
  type InferExample,
  policy,
  rollout,
} from "@envs/core";
import { examples } from "@envs/core/engine";
import { checkEnvironment, scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { difflibRatio } from "../src/difflib.ts";
import reverseText from "../src/index.ts";
import { reverse } from "../src/reverse.ts";

const row = { prompt: "Quiet, please.", answer: ".esaelp ,teiuQ" };

async function score(reply: string, config: Parameters<typeof reverseText>[0] = {}, example = row) {
  const played = await rollout(reverseText(config), example, { model: scriptedModel(reply) });
  if (played.status !== "scored") throw new Error(played.error.message);
  return played.scores;
}

test("passes the conformance suite", async () => {
  await expect(
    checkEnvironment(reverseText, { packageName: packageJson.name, fullReward: 1.2 }),
  ).resolves.toBeUndefined();
});

test("the dataset has 1,000 different texts with their reversals", async () => {
  const rows: InferExample<typeof reverseText>[] = [];
  for await (const { example } of examples(reverseText())) rows.push(example);
  expect(new Set(rows.map(({ prompt }) => prompt)).size).toBe(1000);
  for (const { prompt, answer } of rows) expect(reverse(answer)).toBe(prompt);
});

test("scores a right answer 1, also with text around its tags", async () => {
  expect(await score(`Here: <reversed>${row.answer}</reversed>`)).toEqual({
    similarity: 1,
    format: 1,
    exact: 1,
  });
});

test("scores an answer without tags 0", async () => {
  expect(await score(row.answer)).toEqual({ similarity: 0, format: 0, exact: 0 });
});

test("gives half of the answer a similarity of two thirds", async () => {
  const { similarity, exact } = await score(`<reversed>${row.answer.slice(0, 7)}</reversed>`);
  expect(similarity).toBeCloseTo((2 * 7) / 21, 12);
  expect(exact).toBe(0);
});

test("uses the last pair of tags", async () => {
  const reply = `<reversed>no</reversed> wait <reversed>${row.answer}</reversed>`;
  expect((await score(reply)).exact).toBe(1);
});

test("computes Python's ratio when the metric is difflib", async () => {
  const example = { prompt: "x".repeat(5), answer: `b${"a".repeat(250)}` };
  const wrong = `${"a".repeat(250)}b`;
  const reply = `<reversed>${wrong}</reversed>`;
  const { similarity } = await score(reply, { metric: "difflib" }, example);
  expect(similarity).toBe(difflibRatio(wrong, example.answer));
  expect((await score(reply, { metric: "lcs" }, example)).similarity).toBeGreaterThan(0.99);
});

test("policy:perfect scores 1, and policy:echo as much as chance", async () => {
  const [perfect, echo] = await Promise.all(
    ["perfect", "echo"].map((name) =>
      evaluate(reverseText(), { model: policy(name), examples: 200, rolloutsPerExample: 1 }),
    ),
  );
  expect(perfect!.scores.similarity).toMatchObject({ mean: 1, min: 1 });
  expect(perfect!.scores.exact.mean).toBe(1);
  expect(echo!.scores.similarity.mean).toBeGreaterThan(0.3);
  expect(echo!.scores.similarity.mean).toBeLessThan(0.6);
});

test("scores a reply of one megabyte", async () => {
  const environment = reverseText({ metric: "difflib" });
  const reply = assistantMessage(`<reversed>${"the ".repeat(250_000)}</reversed>`);
  const played = await rollout(environment, row, { model: scriptedModel(reply) });
  expect(played.status).toBe("scored");
});

test.each<[object, string]>([
  [{ minLength: 50, maxLength: 20 }, "minLength: must not be greater than maxLength"],
  [{ maxLength: 100_000 }, "maxLength"],
  [{ metric: "bleu" }, "metric"],
  [{ length: 10 }, "length"],
])("rejects the config %j and names the option", (config, message) => {
  expect(() => reverseText(config)).toThrow(ConfigError);
  expect(() => reverseText(config)).toThrow(message);
});
