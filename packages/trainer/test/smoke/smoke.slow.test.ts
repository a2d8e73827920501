import { ConfigError, defineEnvironment } from "@envs/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { smoke } from "../../src/smoke/smoke.ts";
import { echoing, noise, right } from "./echoing.ts";

/** Enough for a task of one letter. */
const little = { rows: 800, held: 256, warmUpTokens: 60_000, learningTokens: 60_000 };

describe("a smoke run", () => {
  test("finds that an environment can be learned", async () => {
    const stages = new Set<string>();
    const { verdict, evidence } = await smoke(echoing(right)(), {
      threads: 1,
      budget: little,
      onProgress: ({ stage }) => stages.add(stage),
    });
    expect(verdict.answer).toBe("learnable");
    expect(verdict.remarks).toEqual([]);
    expect([...stages]).toEqual(["probing", "imitating", "measuring", "learning"]);
    const [best, mixed, scrambled] = evidence.probes;
    expect([best?.reward, scrambled?.reward]).toEqual([1, 0]);
    expect(mixed?.reward).toBeCloseTo(1 / 8, 0);
    const { before, after, examples, rollouts } = evidence.learning!;
    expect(before).toBeLessThan(0.9);
    expect(after).toBeGreaterThan(before);
    expect(examples).toBe(256);
    expect(rollouts).toBeGreaterThan(1000);
  });

  test("finds the same again, to the last digit", async () => {
    const tiny = { rows: 300, held: 64, warmUpTokens: 10_000, learningTokens: 20_000 };
    const run = () => smoke(echoing(right)(), { seed: 3, threads: 1, budget: tiny });
    expect(await run()).toEqual(await run());
  });
});

describe("a planted defect is found:", () => {
  test("a reward that has nothing to do with what is said", async () => {
    // Chance must be ruled out, which takes more examples.
    const many = { ...little, rows: 1600, held: 1024 };
    const { verdict } = await smoke(echoing(noise())(), { threads: 1, budget: many });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("although groups differ");
    expect(verdict.reason).toContain("is the reward related to what the model says?");
  });

  test("a reward that the example alone decides", async () => {
    const byExample = echoing(({ letter }) => letter.codePointAt(0)!);
    const { verdict } = await smoke(byExample(), { threads: 1, budget: little });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("every group had equal rewards");
  });

  test("a constant reward, before anything is trained", async () => {
    const { verdict, evidence } = await smoke(echoing(() => 0.5)(), { budget: little });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("every reward was 0.50, whatever was said");
    expect(evidence.learning).toBeUndefined();
  });

  test.each<[string, () => number, string]>([
    ["is no number", () => Number.NaN, "The score right is NaN"],
    [
      "throws",
      () => {
        throw new Error("no judge");
      },
      "the score right: no judge",
    ],
  ])("a reward that %s", async (_, worth, message) => {
    const { verdict, evidence } = await smoke(echoing(worth)(), { budget: little });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("every rollout failed");
    expect(verdict.reason).toContain(message);
    expect(evidence.failures.codes).toEqual({ score: evidence.failures.played });
  });

  test("a sign that is turned round", async () => {
    const { verdict } = await smoke(echoing((said) => -right(said))(), {
      threads: 1,
      budget: { ...little, warmUpTokens: 10_000, learningTokens: 10_000 },
    });
    expect(verdict.remarks[0]).toContain("is a sign wrong");
  });
});

describe("what cannot be tried is refused with what to do:", () => {
  const base = { dataset: () => [{ prompt: "Hi." }], rubric: { any: () => 1 } };

  test("an environment without policies", async () => {
    const bare = defineEnvironment({ name: "bare", ...base });
    await expect(smoke(bare())).rejects.toThrow(/bare has no policies.*policies: \{ perfect/su);
    await expect(smoke(bare())).rejects.toBeInstanceOf(ConfigError);
  });

  test("an environment with tools", async () => {
    const equipped = defineEnvironment({
      name: "equipped",
      ...base,
      tools: { look: { description: "Look.", input: z.object({}), execute: () => "Dark." } },
      policies: { any: () => "Hi." },
    });
    await expect(smoke(equipped())).rejects.toThrow(/equipped has tools/u);
  });

  test("an environment without examples", async () => {
    const empty = defineEnvironment({
      name: "empty",
      dataset: () => [] as { prompt: string }[],
      rubric: { any: () => 1 },
      policies: { any: () => "Hi." },
    });
    await expect(smoke(empty())).rejects.toThrow(/dataset of empty is empty/u);
  });

  test("a run that was stopped has no verdict", async () => {
    const { signal } = { signal: AbortSignal.abort(new Error("interrupted")) };
    await expect(smoke(echoing(right)(), { signal, budget: little })).rejects.toThrow(
      "interrupted",
    );
  });
});
