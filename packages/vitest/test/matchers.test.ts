import "@envs/vitest/matchers";
import { callTools, defineEnvironment, evaluate, type Model, rollout } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";

import { BudgetMeter } from "../src/budget.ts";

const search = defineEnvironment({
  name: "search",
  dataset: () => ["Ada", "Grace", "Mary", "Radia"].map((prompt) => ({ prompt })),
  tools: {
    find: {
      description: "Find a name",
      input: z.object({ query: z.string() }),
      execute: () => "born 1815",
    },
  },
  rubric: { answered: ({ reply }) => reply === "1815" },
});

const model: Model = scriptedModel(callTools([["find", { query: "Ada", limit: 3 }]]), {
  message: { role: "assistant", content: "1815" },
  finish: "stop",
  usage: { inputTokens: 90, outputTokens: 10 },
});

test("compares the lower bound of a pass rate", async () => {
  const evaluation = await evaluate(search(), { model });
  expect(evaluation).toHavePassRate(0.5);
  expect(evaluation).not.toHavePassRate(0.8);
  expect(evaluation).toHavePassAtK(3, 0.5);
  expect(evaluation.rollouts).toHavePassHatK(3, 0.5);
  expect(evaluation).toHaveMeanReward(1);
  expect(() => expect(evaluation).toHavePassRate(0.9)).toThrow(
    "pass rate 1.00 [0.51, 1.00] on 4 examples: the lower bound is below 0.9. Even if all trials passed, 35 examples are needed for 0.9.",
  );
});

test("does not accept a budget for calls whose tokens are unknown", async () => {
  const evaluation = await evaluate(search(), { model, examples: 1, rolloutsPerExample: 1 });
  expect(() => expect(evaluation).toStayWithin({ tokens: 1000 })).toThrow(
    "does not report the usage of 1 calls",
  );
});

test("compares tokens and cost with a budget", async () => {
  const answer = defineEnvironment({
    name: "answer",
    dataset: () => [{ prompt: "1" }],
    rubric: { any: () => 1 },
  });
  const counting = scriptedModel({
    message: { role: "assistant", content: "1" },
    finish: "stop",
    usage: { inputTokens: 90, outputTokens: 10 },
  });
  const evaluation = await evaluate(answer(), { model: counting, rolloutsPerExample: 2 });
  expect(evaluation).toStayWithin({ tokens: 200, cost: 0.0002 }, { input: 1, output: 1 });
  expect(() => expect(evaluation).toStayWithin({ tokens: 199 })).toThrow(
    "used 200 tokens; the budget is 199",
  );
});

test("counts an agent's calls that led to no reply in a budget", async () => {
  const usage = { inputTokens: 90, outputTokens: 10 };
  const call = (error?: string): AgentCall => ({
    dialect: "chat",
    requestedModel: "any",
    messages: [],
    message: { role: "assistant", content: "1" },
    finish: "stop",
    ...(error !== undefined && { error }),
    usage,
    tokens: undefined,
    model: { start: 0, end: 1 },
  });
  const agent: Model = async ({ onCall }) => {
    const calls = [call()];
    for (const each of [...calls, call("The client disconnected.")]) onCall?.(each);
    return { message: calls[0]!.message, finish: "stop", usage, calls };
  };
  const meter = new BudgetMeter({ tokens: 150 });
  const evaluation = await evaluate(search(), {
    model: meter.wrap(agent),
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(meter.problem).toBe("The trials used 200 tokens; the budget is 150.");
  expect(() => expect(evaluation).toStayWithin({ tokens: 150 })).toThrow("used 200 tokens");
});

test("counts an agent's helpers at their own prices in a budget", async () => {
  const usage = { inputTokens: 90, outputTokens: 10 };
  const call: AgentCall = {
    dialect: "chat",
    requestedModel: "any",
    messages: [],
    message: { role: "assistant", content: "1" },
    finish: "stop",
    usage,
    tokens: undefined,
    model: { start: 0, end: 1 },
  };
  const calls = [{ ...call, requestedModel: "worker", isHelper: true }, call];
  const agent: Model = async ({ onCall }) => {
    for (const each of calls) onCall?.(each);
    return { message: call.message, finish: "stop", usage, calls };
  };
  const meter = new BudgetMeter({ tokens: 150 });
  const prices = { worker: { input: 100, output: 100 } };
  const evaluation = await evaluate(search(), {
    model: meter.wrap(agent, { input: 1000, output: 1000 }, prices),
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(meter).toMatchObject({ tokens: 200, cost: 0.1 + 0.01 });
  expect(() => expect(evaluation).toStayWithin({ tokens: 150 })).toThrow("used 200 tokens");
});

test("finds a tool call by a part of its arguments", async () => {
  const played = await rollout(search(), { prompt: "Ada" }, { model });
  expect(played).toHaveCalledTool("find", { query: "Ada" });
  expect(played).not.toHaveCalledTool("find", { query: "Grace" });
  expect(() => expect(played).toHaveCalledTool("delete")).toThrow(
    'find({"query":"Ada","limit":3})',
  );
});
