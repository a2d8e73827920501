import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { evaluate, policy, random } from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test, vi } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { finalAnswer } from "../src/answer.ts";
import gsm8k from "../src/index.ts";
import { problems } from "../src/problems.ts";
import { problemOf, rowSchema } from "../src/row.ts";
import { stories } from "../src/stories.ts";

test("passes the conformance suite", async () => {
  await expect(
    checkEnvironment(gsm8k, { packageName: packageJson.name, examples: 12, fullReward: 1 }),
  ).resolves.toBeUndefined();
});

test("splits a row of the dataset into solution and answer", () => {
  const question = "A hen lays 6 eggs a day. How many in a week? ";
  const answer = "A week has 7 days.\nThat is 6*7=<<6*7=42>>42 eggs.\n#### 42";
  expect(problemOf({ question, answer })).toEqual({
    prompt: "A hen lays 6 eggs a day. How many in a week?",
    solution: "A week has 7 days.\nThat is 6*7=42 eggs.",
    answer: "42",
  });
});

test("rejects a row without an answer", () => {
  const row = { question: "How many?", answer: "Some.\n####" };
  expect(rowSchema.safeParse(row).success).toBe(false);
});

test("writes solutions whose calculations are right and end with the answer", () => {
  const source = random("stories");
  for (const story of stories)
    for (let round = 0; round < 50; round += 1) {
      const { answer } = story(source);
      const steps = [...answer.matchAll(/<<([-+*/0-9]+)=([0-9]+)>>/g)];
      expect(steps.length).toBeGreaterThan(1);
      for (const [, expression, value] of steps)
        expect(calculate(expression!), answer).toBe(Number(value));
      expect(answer.endsWith(`\n#### ${steps.at(-1)?.[2]}`), answer).toBe(true);
    }
});

/** Calculates from left to right, because no story mixes sums with products. */
function calculate(expression: string): number {
  const [first = "", ...steps] = expression.split(/(?=[-+*/])/);
  return steps.reduce((value, step) => {
    const operand = Number(step.slice(1));
    if (step.startsWith("*")) return value * operand;
    if (step.startsWith("/")) return value / operand;
    return step.startsWith("+") ? value + operand : value - operand;
  }, Number(first));
}

test("offers as many distinct problems as the config allows", () => {
  const prompts = problems(random(1))
    .take(5000)
    .map(({ prompt }) => prompt);
  expect(new Set(prompts).size).toBe(5000);
});

test.each([
  ["the last of several boxes", "\\boxed{41}, no, \\boxed{42}", "42"],
  ["the box after the thinking", "<think>\\boxed{41}</think> \\boxed{42}", "42"],
  ["nothing of the thinking", "<think>\\boxed{42}</think> done", ""],
  ["nothing while the thinking has not ended", "<think>\\boxed{42}", ""],
  ["nothing without a box", "#### 42", ""],
])("reads %s", (_, reply, answer) => {
  expect(finalAnswer(reply)).toBe(answer);
});

test.each([
  ["solver", 1, 1],
  ["unboxed", 0, 0],
  ["thinking", 0, 0],
  ["echo", 0, 0],
])("gives the policy %s the reward %d", async (name, reward, answered) => {
  const { reward: mean, scores } = await evaluate(gsm8k(), {
    model: policy(name),
    examples: 5,
    rolloutsPerExample: 1,
  });
  expect([mean.mean, scores.answered.mean]).toEqual([reward, answered]);
});

test("puts solved problems before the question", async () => {
  const { rollouts } = await evaluate(gsm8k({ shots: 2 }), {
    model: policy("solver"),
    examples: 1,
    rolloutsPerExample: 1,
  });
  const roles = rollouts[0]!.prompt.map(({ role }) => role);
  expect(roles).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
});

test("stops before the first problem of the dataset if Math-Verify is missing", async () => {
  const empty = mkdtempSync(join(tmpdir(), "envs-gsm8k-"));
  vi.stubEnv("XDG_CACHE_HOME", empty);
  await expect(
    evaluate(gsm8k(), { model: policy("solver"), split: "test", examples: 1 }),
  ).rejects.toThrow("Run `envs sandbox maths`");
  vi.unstubAllEnvs();
  rmSync(empty, { recursive: true });
});
