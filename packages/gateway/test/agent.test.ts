import { createOpenAI } from "@ai-sdk/openai";
import {
  assistant,
  callTools,
  defineEnvironment,
  end,
  evaluate,
  type Rollout,
  RolloutError,
  rollout,
  text,
} from "@envs/core";
import { parseRow, toRow } from "@envs/core/records";
import { scriptedModel } from "@envs/core/testing";
import { agent, type AgentFunction } from "@envs/gateway";
import { aiSdkTools } from "@envs/gateway/ai-sdk";
import { isStepCount, ToolLoopAgent } from "ai";
import { describe, expect, test } from "vitest";
import * as z from "zod";

const capitals: Readonly<Record<string, string>> = { France: "Paris", Italy: "Rome" };

const geography = defineEnvironment({
  name: "geography",
  dataset: () => [{ prompt: "Capitals of France and Italy?", answer: "Paris, Rome" }],
  setup: () => ({ lookups: 0 }),
  tools: {
    capital: {
      description: "Look up the capital of a country.",
      input: z.object({ country: z.string() }),
      execute({ country }, { state }) {
        state.lookups += 1;
        return capitals[country] ?? "unknown";
      },
    },
  },
  rubric: {
    correct: ({ example, completion }) => completion.at(-1)?.content === example.answer,
    lookups: { weight: 0, score: ({ state }) => state.lookups },
  },
});

const lookup = callTools([
  ["capital", { country: "France" }],
  ["capital", { country: "Italy" }],
]);
const usage = { inputTokens: 10, outputTokens: 5 };
const upstream = scriptedModel(
  { message: { ...lookup, reasoning_content: "Two lookups." }, finish: "tool_calls", usage },
  { message: assistant("Paris, Rome"), finish: "stop", usage },
);

/** An agent of the AI SDK, which asks its model in two dialects. */
const toolLoop =
  (dialect: "chat" | "responses"): AgentFunction =>
  async ({ baseURL, apiKey, messages, tools, signal }) => {
    const provider = createOpenAI({ baseURL, apiKey });
    const loop = new ToolLoopAgent({
      model: provider[dialect]("any"),
      tools: aiSdkTools(tools),
      stopWhen: isStepCount(5),
      maxRetries: 0,
    });
    const prompt = messages.map(({ content }) => text(content)).join("\n");
    const reply = await loop.generate({ prompt, abortSignal: signal });
    return reply.text;
  };

async function play(
  run: AgentFunction,
  options: Parameters<typeof agent>[1] = { model: upstream },
) {
  const environment = geography();
  return rollout(
    environment,
    { prompt: "Capitals of France and Italy?", answer: "Paris, Rome" },
    {
      model: agent(run, options),
    },
  );
}

describe("an agent of the AI SDK", () => {
  test.each(["chat", "responses"] as const)(
    "plays as its model would, over %s",
    async (dialect) => {
      const played = await play(toolLoop(dialect));
      const direct = await rollout(
        geography(),
        { prompt: "Capitals of France and Italy?", answer: "Paris, Rome" },
        { model: upstream },
      );
      expect(played).toMatchObject({ status: "scored", reward: 1, scores: { lookups: 2 } });
      expect(played.completion).toEqual(direct.completion);
      expect(played.usage).toEqual({ inputTokens: 20, outputTokens: 10 });
      expect(played.trajectory.map(({ calls }) => calls?.map((call) => call.dialect))).toEqual([
        [dialect],
        [dialect],
      ]);
      expect(played.trajectory[1]?.calls?.[0]?.messages).toMatchObject([
        { role: "user" },
        { role: "assistant", tool_calls: [{}, {}] },
        { role: "tool", content: "Paris" },
        { role: "tool", content: "Rome" },
      ]);
    },
  );

  test("has its calls in the record", async () => {
    const played = await play(toolLoop("responses"));
    const row = toRow(played);
    expect(row.trajectory?.[1]?.calls).toMatchObject([{ after: 3, messages: [], reply: 4 }]);
    const read = parseRow(JSON.stringify(row)) as Rollout;
    const contents = ({ trajectory }: Rollout) =>
      trajectory.flatMap(({ calls = [] }) =>
        calls.map(({ messages, tools, message, usage }) => ({ messages, tools, message, usage })),
      );
    expect(contents(read)).toEqual(contents(played));
  });

  test("plays many rollouts at once", async () => {
    const { reward, counts } = await evaluate(geography(), {
      model: agent(toolLoop("chat"), { model: upstream }),
      rolloutsPerExample: 12,
    });
    expect(reward.mean).toBe(1);
    expect(counts.failed).toBe(0);
  });
});

describe("an agent", () => {
  test("is asked again with what the environment answers", async () => {
    const twice = defineEnvironment({
      name: "twice",
      dataset: () => [{ prompt: "First?" }],
      respond: ({ turns }) => (turns === 1 ? "Second?" : end()),
      rubric: { both: ({ turns }) => turns === 2 },
    });
    const seen: number[] = [];
    const result = await rollout(
      twice(),
      { prompt: "First?" },
      {
        model: agent(({ messages }) => `Reply ${seen.push(messages.length)}`, { model: upstream }),
      },
    );
    expect(result).toMatchObject({ status: "scored", reward: 1 });
    expect(seen).toEqual([1, 3]);
    expect(result.completion.map(({ content }) => content)).toEqual([
      "Reply 1",
      "Second?",
      "Reply 2",
    ]);
  });

  test("calls tools that its model has not asked for", async () => {
    const result = await play(async ({ tools }) => {
      const results = await Promise.all(
        ["France", "Italy"].map((country) => tools["capital"]!.execute({ country })),
      );
      return results.map((result) => text(result)).join(", ");
    });
    expect(result).toMatchObject({ status: "scored", reward: 1, tools: { capital: { calls: 2 } } });
    expect(result.trajectory).toHaveLength(2);
    expect(result.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  test.each([
    [
      "throws",
      () => Promise.reject(new Error("My code is broken.")),
      "The agent failed: My code is broken.",
    ],
    ["returns no text", () => ({ text: "Paris" }) as never, 'returned {"text":"Paris"}'],
  ] as const)("that %s fails the rollout with its own code", async (_, run, message) => {
    const result = await play(run);
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "agent", message: expect.stringContaining(message) },
    });
  });

  test("whose model fails is not blamed", async () => {
    const model = scriptedModel(new RolloutError("model", "The server is on fire."));
    const result = await play(toolLoop("chat"), { model });
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "model", message: "The server is on fire." },
    });
  });

  test("that hangs is stopped by the time limit of the rollout", async () => {
    const result = await rollout(
      geography(),
      { prompt: "?", answer: "" },
      {
        model: agent(() => new Promise(() => {}), { model: upstream }),
        rolloutTimeout: 50,
      },
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout" } });
  });

  test("that reaches its limit of calls is truncated and scored", async () => {
    const endless = scriptedModel({
      message: { ...lookup, content: "I look." },
      finish: "tool_calls",
    });
    const result = await play(toolLoop("chat"), { model: endless, maxCalls: 2 });
    expect(result).toMatchObject({ status: "scored", isTruncated: true, reward: 0 });
    expect(result.trajectory.flatMap(({ calls = [] }) => calls)).toHaveLength(2);
  });

  test("without a model is rejected before the first rollout", async () => {
    await expect(play(toolLoop("chat"), { id: "mine" })).rejects.toThrow(
      "The agent mine has no model",
    );
  });
});
