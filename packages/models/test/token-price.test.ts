import { assistantMessage } from "@envs/core";
import { openai } from "@envs/models";
import { costOf } from "@envs/models/prices";
import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished, test } from "vitest";

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 600_000,
  cacheWriteTokens: 300_000,
};

test("charges the tokens of a cache by their own prices", () => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
  expect(costOf(usage, price)).toBeCloseTo(0.1 * 2 + 0.6 * 0.2 + 0.3 * 2.5 + 0.1 * 10, 12);
});

test("charges the tokens of a cache as other input tokens without such a price", () => {
  expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo(3, 12);
});

test("reads the tokens of a cache from a server of chat completions", async () => {
  const { url, close } = await modelServer({
    answer: () => ({ message: assistantMessage("Yes."), finish: "stop", usage }),
  });
  onTestFinished(close);
  const model = openai("model", { baseURL: url });
  const { signal } = new AbortController();
  const reply = await model({ messages: [{ role: "user", content: "Hello" }], signal });
  expect(reply.usage).toEqual(usage);
});
