import { parseRow, toRow } from "@envs/records";
import { expect, test } from "vitest";

import {
  assistantMessage,
  dataset,
  defineEnvironment,
  evaluate,
  type EvaluateOptions,
  type Model,
  type ModelResponse,
  type RetryOptions,
  RolloutError,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const numbers = {
  name: "numbers",
  dataset: function* (): Generator<{ prompt: string; id: string }> {
    for (let number = 0; ; number += 1) yield { prompt: `Number ${number}.`, id: `n${number}` };
  },
  rubric: { one: () => 1 },
};
const plain = defineEnvironment(numbers);
const usage = { inputTokens: 10, outputTokens: 1 };
const answer: ModelResponse = { message: assistantMessage("hello"), finish: "stop", usage };

/** A model that fails the first calls, then answers, and records the seed of each call. */
function failing(failures: number, error: Error) {
  const seeds: (number | undefined)[] = [];
  const model: Model = async ({ seed }) => {
    seeds.push(seed);
    if (seeds.length <= failures) throw error;
    return answer;
  };
  return { model, seeds };
}

const once = { examples: 1, rolloutsPerExample: 1 };
const byModel: RetryOptions = { codes: ["model"] };

test("plays a rollout that fails with a code of retry again, with the same seed", async () => {
  const { model, seeds } = failing(2, new Error("overloaded"));
  const { rollouts, counts, retries } = await evaluate(plain(), { ...once, model, retry: byModel });
  expect(rollouts).toMatchObject([
    {
      status: "scored",
      reward: 1,
      earlierAttempts: [
        { error: { code: "model", message: "the model: overloaded" } },
        { error: { code: "model" } },
      ],
    },
  ]);
  expect(counts).toMatchObject({ total: 1, scored: 1, failed: 0 });
  expect(retries).toEqual({ model: 2 });
  expect(new Set(seeds).size).toBe(1);
});

test("records the last failure when no attempt is left", async () => {
  const { model, seeds } = failing(9, new Error("overloaded"));
  const retry = { ...byModel, times: 1 };
  const { rollouts, failures } = await evaluate(plain(), { ...once, model, retry });
  expect(rollouts).toMatchObject([{ status: "failed", earlierAttempts: [{}] }]);
  expect(failures).toEqual({ model: 1 });
  expect(seeds).toHaveLength(2);
});

test("does not retry a rollout that fails with another code or fatally", async () => {
  const others = failing(1, new RolloutError("timeout", "late"));
  const fatal = failing(1, new RolloutError("model", "no such model", { isFatal: true }));
  for (const { model, seeds } of [others, fatal]) {
    const { rollouts } = await evaluate(plain(), { ...once, model, retry: byModel });
    expect(rollouts[0]).not.toHaveProperty("earlierAttempts");
    expect(seeds).toHaveLength(1);
  }
});

test("counts the tokens of attempts that failed", async () => {
  let calls = 0;
  const counted = defineEnvironment({
    ...numbers,
    rubric: {
      one() {
        calls += 1;
        if (calls === 1) throw new Error("no judge");
        return 1;
      },
    },
  });
  const model: Model = async () => answer;
  const result = await evaluate(counted(), { ...once, model, retry: { codes: ["score"] } });
  expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 2, unknownRollouts: 0 });
  expect(result.rollouts[0]?.usage).toEqual(usage);
});

test("releases the state of each attempt", async () => {
  const log: string[] = [];
  const resource = defineEnvironment({
    ...numbers,
    setup: () => log.push("setup"),
    episode: { close: () => void log.push("close") },
  });
  const { model } = failing(1, new Error("overloaded"));
  await evaluate(resource(), { ...once, model, retry: byModel });
  expect(log).toEqual(["setup", "close", "setup", "close"]);
});

test("a retried rollout joins its group once", async () => {
  const ranked = defineEnvironment({
    ...numbers,
    rubric: { size: { group: (members) => members.map(() => members.length) } },
  });
  const { model } = failing(1, new Error("overloaded"));
  const options: EvaluateOptions = { examples: 1, rolloutsPerExample: 3, concurrency: 2, model };
  const { rollouts } = await evaluate(ranked(), { ...options, retry: byModel });
  expect(rollouts.map(({ rolloutIndex }) => rolloutIndex)).toEqual([0, 1, 2]);
  expect(rollouts).toMatchObject([{ scores: { size: 3 } }, { reward: 3 }, { reward: 3 }]);
});

test("plays a whole group again if its scoring fails", async () => {
  let calls = 0;
  const ranked = defineEnvironment({
    ...numbers,
    rubric: {
      one: ({ random }) => {
        random.next();
        calls += 1;
        if (calls === 2) throw new Error("no judge");
        return 1;
      },
      size: { weight: 0, group: (members) => members.map(() => members.length) },
    },
  });
  const options = { model: scriptedModel("hello"), examples: 1, rolloutsPerExample: 2 };
  const result = await evaluate(ranked(), { ...options, retry: { codes: ["score"] } });
  expect(result.rollouts).toMatchObject([
    {
      scores: { size: 2 },
      earlierAttempts: [{ error: { message: expect.stringContaining("Rollout 1 of its group") } }],
    },
    { scores: { size: 2 }, earlierAttempts: [{ error: { message: /no judge/ } }] },
  ]);
});

test("a record contains the attempts before the one that counts", async () => {
  const { model } = failing(1, new Error("overloaded"));
  const { rollouts } = await evaluate(plain(), { ...once, model, retry: byModel });
  const row = toRow(rollouts[0]!);
  expect(row).toMatchObject({ attempts: 2, earlier_attempts: [{ error: { code: "model" } }] });
  expect(parseRow(JSON.stringify(row))).toMatchObject({
    earlierAttempts: rollouts[0]!.earlierAttempts,
  });
});

test("rejects codes that are unknown or not retried, before any model call", async () => {
  const { model, seeds } = failing(0, new Error());
  for (const codes of [["network"], ["cancelled"], []] as never[])
    await expect(evaluate(plain(), { model, retry: { codes } })).rejects.toThrow(
      /Choose from: model, agent, environment, tool, score, timeout\./,
    );
  await expect(evaluate(plain(), { model, retry: { ...byModel, times: 0 } })).rejects.toThrow(
    "retry.times: 0 is not a whole number of at least 1.",
  );
  expect(seeds).toEqual([]);
});

test("select chooses examples of an endless dataset before they are counted", async () => {
  const { rollouts } = await evaluate(plain(), {
    ...once,
    model: scriptedModel("hello"),
    examples: 2,
    select: (examples) => dataset.filter(examples, ({ index }) => index % 3 === 2),
  });
  expect(rollouts).toMatchObject([
    { exampleIndex: 2, exampleKey: "n2" },
    { exampleIndex: 5, exampleKey: "n5" },
  ]);
});
