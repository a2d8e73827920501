import { dataset, defineEnvironment, type Example } from "@envs/core";
import { describe, expect, test } from "vitest";

import { splitDataset, withDataset } from "../../src/smoke/dataset-split.ts";

const numberedRows = (count: number, prefix = ""): Example[] =>
  Array.from({ length: count }, (_, index) => ({ prompt: `${prefix}${index}` }));

const environmentWith = (dataset: () => Example[] | Record<string, Example[]>) =>
  defineEnvironment({ name: "rows", dataset, rubric: { any: () => 1 } })();

const prompts = (rows: readonly Example[]): unknown[] => rows.map(({ prompt }) => prompt);
const options = { trainingExamples: 200, evaluationExamples: 50, seed: 1 };

describe("splitDataset()", () => {
  test("reserves a random third of the dataset for evaluation", async () => {
    const environment = environmentWith(() => numberedRows(90));
    const { training, evaluation, isShared } = await splitDataset(environment, options);
    expect([training.length, evaluation.length, isShared]).toEqual([60, 30, false]);
    expect(new Set(prompts([...training, ...evaluation])).size).toBe(90);
    expect(prompts(evaluation)).not.toEqual(prompts(numberedRows(30)));
  });

  test("evaluates on the eval split when the dataset has one", async () => {
    const environment = environmentWith(() => ({
      eval: numberedRows(80, "e"),
      train: numberedRows(500, "t"),
    }));
    const { training, evaluation } = await splitDataset(environment, options);
    expect([training.length, evaluation.length]).toEqual([200, 50]);
    expect(prompts(training).every((prompt) => String(prompt).startsWith("t"))).toBe(true);
    expect(prompts(evaluation).every((prompt) => String(prompt).startsWith("e"))).toBe(true);
  });

  test("rejects with the reason of its signal while it reads", async () => {
    const endless = function* () {
      for (;;) yield { prompt: "again" };
    };
    const environment = environmentWith(() => dataset.filter(endless(), () => false) as never);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("stopped")), 20);
    const split = splitDataset(environment, { ...options, signal: controller.signal });
    await expect(split).rejects.toThrow("stopped");
  });

  test("shares the examples of a small dataset", async () => {
    const environment = environmentWith(() => numberedRows(10));
    const { training, evaluation, isShared } = await splitDataset(environment, options);
    expect(training).toEqual(evaluation);
    expect([training.length, isShared]).toEqual([10, true]);
  });
});

test("withDataset() replaces the dataset for every config", () => {
  const rows = numberedRows(3);
  const factory = withDataset(
    environmentWith(() => numberedRows(90)),
    rows,
  );
  expect(factory({}).definition.dataset({ config: {}, random: undefined as never })).toBe(rows);
});
