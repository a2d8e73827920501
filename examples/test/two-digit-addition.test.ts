import { dataset, evaluate } from "@envs/core";
import { examples } from "@envs/core/engine";
import { checkEnvironment, scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";

import addition from "../two-digit-addition.ts";

test("passes the conformance suite", async () => {
  await expect(checkEnvironment(addition, { fullReward: 1 })).resolves.toBeUndefined();
});

test("does not ask held-out sums in training", async () => {
  const sums = async (heldOut: boolean): Promise<Set<string>> => {
    const prompts = new Set<string>();
    for await (const { example } of dataset.take(examples(addition({ heldOut })), 2000))
      prompts.add(example.prompt);
    return prompts;
  };
  const [training, heldOut] = [await sums(false), await sums(true)];
  expect(heldOut.size).toBeGreaterThan(600);
  expect([...heldOut].filter((prompt) => training.has(prompt))).toEqual([]);
});

test("reads the last number of a reply", async () => {
  const scoreOf = async (reply: string): Promise<number | null> => {
    const { scores } = await evaluate(addition(), {
      model: scriptedModel(reply),
      examples: 1,
      rolloutsPerExample: 1,
      seed: 3,
    });
    return scores.exact.mean;
  };
  const [first] = await Array.fromAsync(dataset.take(examples(addition(), { seed: 3 }), 1));
  const { a, b } = first!.example;
  const sum = a + b;
  await expect(scoreOf(`I get ${sum}.`)).resolves.toBe(1);
  await expect(scoreOf(`${sum} or ${sum + 1}`)).resolves.toBe(0);
  await expect(scoreOf("no idea")).resolves.toBe(0);
});
