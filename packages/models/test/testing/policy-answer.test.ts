import { defineEnvironment, end, evaluate, policy } from "@envs/core";
import { openai } from "@envs/models";
import { modelServer, policyAnswer } from "@envs/models/testing";
import { expect, test } from "vitest";

/** All examples have the same prompt and differ only in the answers of the environment. */
const dice = defineEnvironment({
  name: "dice",
  dataset: ({ random }) =>
    Array.from({ length: 6 }, (_, index) => ({
      prompt: "Roll.",
      face: random.int(20),
      id: `d${index}`,
    })),
  setup: () => ({ seen: [] as number[] }),
  respond({ state, example, reply, random }) {
    state.seen.push(Number(reply));
    if (state.seen.length === 3) return end();
    return String((example.face + random.int(5)) % 20);
  },
  rubric: { sum: ({ state, example }) => state.seen.filter((n) => n === example.face).length / 3 },
  policies: {
    knows: ({ example, messages }) => (messages.length > 1 ? String(example.face) : "?"),
  },
});

test("plays a policy over HTTP as in process", async () => {
  const options = { examples: 6, rolloutsPerExample: 2, seed: 3 };
  await using server = await modelServer({
    answer: policyAnswer(dice(), "knows", { examples: 6, seed: 3 }),
  });
  const inProcess = await evaluate(dice(), { ...options, model: policy("knows") });
  const overHttp = await evaluate(dice(), {
    ...options,
    model: openai("model", { baseURL: server.url }),
  });
  expect(overHttp.failures).toEqual({});
  expect(overHttp.reward.mean).toBeCloseTo(2 / 3, 10);
  expect(overHttp.rollouts.map(({ completion }) => completion)).toEqual(
    inProcess.rollouts.map(({ completion }) => completion),
  );
});

test("rejects a conversation that no example matches", async () => {
  await using server = await modelServer({ answer: policyAnswer(dice(), "knows") });
  const response = await fetch(`${server.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "model", messages: [{ role: "user", content: "Hello." }] }),
  });
  expect(response.status).toBe(500);
});
