import { ConfigError, defineEnvironment } from "@envs/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { smoke } from "../../src/smoke/smoke.ts";
import { closeness, echoEnvironment, isCorrect, noiseScore } from "./echo-environment.ts";

/** A budget that is enough for a task of one letter. */
const smallBudget = {
  trainingExamples: 800,
  evaluationExamples: 256,
  warmUpTokens: 60_000,
  learningTokens: 60_000,
};

describe("smoke()", () => {
  test("reports a learnable environment", async () => {
    const stages = new Set<string>();
    const { verdict, evidence } = await smoke(echoEnvironment(isCorrect)(), {
      threads: 1,
      budget: smallBudget,
      onProgress: ({ stage }) => stages.add(stage),
    });
    expect(verdict.answer).toBe("learnable");
    expect(verdict.warnings).toEqual([]);
    expect([...stages]).toEqual(["probing", "imitating", "measuring", "learning"]);
    expect(evidence.isInformed).toBe(true);
    const [best, mixedUp, scrambled] = evidence.probes;
    expect([best?.reward, scrambled?.reward]).toEqual([1, 0]);
    expect(mixedUp?.reward).toBeCloseTo(1 / 8, 0);
    const { before, after, examples, rollouts } = evidence.learning!;
    expect(before).toBeLessThan(0.9);
    expect(after).toBeGreaterThan(before);
    expect(examples).toBe(256);
    expect(rollouts).toBeGreaterThan(1000);
  });

  const noise = noiseScore();
  test.each([
    ["partial credit", echoEnvironment(closeness)],
    ["a noisy reward", echoEnvironment((reply) => isCorrect(reply) + noise())],
    [
      "a policy that does not know the answer",
      echoEnvironment(({ said }) => Number(said === "c"), "any"),
    ],
  ])("reports that an environment with %s is learnable", async (_, factory) => {
    const { verdict } = await smoke(factory(), { threads: 1, budget: smallBudget });
    expect(verdict).toMatchObject({ answer: "learnable", warnings: [] });
  });

  test("returns an identical report for the same seed", async () => {
    const budget = {
      trainingExamples: 300,
      evaluationExamples: 64,
      warmUpTokens: 10_000,
      learningTokens: 20_000,
    };
    const run = () => smoke(echoEnvironment(isCorrect)(), { seed: 3, threads: 1, budget });
    expect(await run()).toEqual(await run());
  });
});

describe("smoke() detects", () => {
  test("a reward that is independent of the reply, without training", async () => {
    const environment = echoEnvironment(noiseScore())();
    const { verdict, evidence } = await smoke(environment, { budget: smallBudget });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("Check that the reward depends on the reply");
    expect(evidence.learning).toBeUndefined();
  });

  test("a constant reward, without training", async () => {
    const environment = echoEnvironment(() => 0.5)();
    const { verdict, evidence } = await smoke(environment, { budget: smallBudget });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("every reward was 0.50, whatever the reply");
    expect(evidence.learning).toBeUndefined();
  });

  test.each<[string, () => number, string]>([
    ["is NaN", () => Number.NaN, "The score right is NaN"],
    [
      "throws",
      () => {
        throw new Error("no judge");
      },
      "the score right: no judge",
    ],
  ])("a score that %s", async (_, score, message) => {
    const { verdict, evidence } = await smoke(echoEnvironment(score)(), { budget: smallBudget });
    expect(verdict.answer).toBe("not learnable");
    expect(verdict.reason).toContain("every rollout failed");
    expect(verdict.reason).toContain(message);
    expect(evidence.failures.codes).toEqual({ score: evidence.failures.played });
  });
});

describe("smoke() rejects", () => {
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

  test("with the signal's reason when it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    const run = smoke(echoEnvironment(isCorrect)(), { signal, budget: smallBudget });
    await expect(run).rejects.toThrow("interrupted");
  });
});
