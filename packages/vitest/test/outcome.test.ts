import { defineEnvironment, evaluate, type Model, rollouts } from "@envs/core";
import { describe, expect, test } from "vitest";

import { checkGate, conditionsOf } from "../src/gate.ts";
import { outcomeOf } from "../src/outcome.ts";

/** An environment whose prompts are the rewards of the trials: "1 0 1". */
const scripted = defineEnvironment({
  name: "scripted",
  dataset: () =>
    ["1 1 1", "1 0 1", "0 0 0", "1 x 1"].map((prompt, index) => ({ prompt, id: `row-${index}` })),
  rubric: { right: ({ reply }) => Number(reply) },
});
const reader: Model = async ({ messages, session = "/0" }) => {
  const rewards = (messages[0]!.content as string).split(" ");
  const reply = rewards[Number(session.split("/").at(-1))]!;
  if (reply === "x") throw new Error("The connection was closed.");
  return { message: { role: "assistant", content: reply }, finish: "stop" };
};

const outcome = async () => {
  const { rollouts: played } = await evaluate(scripted(), { model: reader, rolloutsPerExample: 3 });
  return outcomeOf(played);
};

describe("outcomeOf", () => {
  test("distinguishes flaky, broken and failed examples", async () => {
    const { examples, verdicts } = await outcome();
    expect(examples.map(({ verdict }) => verdict)).toEqual(["passed", "flaky", "broken", "failed"]);
    expect(verdicts).toEqual({ passed: 1, flaky: 1, broken: 1, failed: 1 });
  });

  test("estimates from the scored trials only", async () => {
    const result = await outcome();
    expect(result.passRate.mean).toBeCloseTo((1 + 2 / 3 + 0 + 1) / 4);
    expect(result.passAtK(3)).toMatchObject({ mean: 2 / 3, examples: 3 });
    expect(result.passHatK(3)).toMatchObject({ mean: 1 / 3, examples: 3 });
    expect(() => result.passAtK(4)).toThrow("Raise trials to at least 4");
  });

  test("has no interval of the reward for one example", async () => {
    const played = await Array.fromAsync(rollouts(scripted(), { model: reader, examples: 1 }));
    expect(outcomeOf(played).reward).toBeUndefined();
  });
});

describe("a gate", () => {
  test("reads the lower bound, not the mean", async () => {
    const conditions = conditionsOf({ passRate: 0.6 }, await outcome());
    expect(conditions.map(({ isMet }) => isMet)).toEqual([false]);
    expect(conditions[0]!.text).toMatchInlineSnapshot(
      `"pass rate 0.67 [0.25, 0.92] on 4 examples: the lower bound is below 0.6. Even if all trials passed, 6 examples are needed for 0.6."`,
    );
  });

  test("rejects conditions that no run can meet", () => {
    expect(() => checkGate({ passAtK: { 5: 0.9 }, passRate: 1 }, 3))
      .toThrowErrorMatchingInlineSnapshot(`
      [ConfigError: The gate is not valid:
        gate.passRate: It is 1. Set at least 0 and less than 1, which no number of trials can prove
        gate.passAtK[5]: It needs 5 trials of each example, and trials is 3]
    `);
  });
});
