import { createOpenAI } from "@ai-sdk/openai";
import {
  assistantMessage,
  callTools,
  defineEnvironment,
  end,
  evaluate,
  type Rollout,
  rollout,
  RolloutError,
  textOf,
} from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agent, type AgentContext, type AgentFunction } from "@envs/gateway";
import { aiSdkTools } from "@envs/gateway/ai-sdk";
import { messageGraph, parseRow, toRow } from "@envs/records";
import { isStepCount, ToolLoopAgent } from "ai";
import OpenAI from "openai";
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
  { message: assistantMessage("Paris, Rome"), finish: "stop", usage },
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
    const prompt = messages.map(({ content }) => textOf(content)).join("\n");
    const reply = await loop.generate({ prompt, abortSignal: signal });
    return reply.text;
  };

async function askChat(
  { baseURL, apiKey }: Pick<AgentContext, "baseURL" | "apiKey">,
  content: string,
  ...before: readonly OpenAI.ChatCompletionMessageParam[]
): Promise<string> {
  const { chat } = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const messages = [...before, { role: "user" as const, content }];
  const { choices } = await chat.completions.create({ model: "mine", messages });
  return choices[0]!.message.content ?? "";
}

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
      return results.map((result) => textOf(result)).join(", ");
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

  test("that throws after two calls leaves them in the record", async () => {
    const throwing: AgentFunction = async ({ tools, ...session }) => {
      await askChat(session, "France?");
      await tools["capital"]!.execute({ country: "France" });
      await askChat(session, "Italy?");
      await askChat(session, "Both?");
      throw new Error("My code is broken.");
    };
    const summary = await evaluate(geography(), {
      model: agent(throwing, { model: upstream }),
      rolloutsPerExample: 1,
    });
    const result = summary.rollouts[0]!;
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "agent" },
      trajectory: [{ calls: [{ messages: [{ content: "France?" }] }] }],
      unfinishedCalls: [
        { messages: [{ content: "Italy?" }] },
        { messages: [{ content: "Both?" }] },
      ],
      usage: { inputTokens: 30, outputTokens: 15 },
    });
    expect(summary.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 });
    expect(messageGraph(result).calls.map(({ turn }) => turn)).toEqual([0, 1, 1]);
    const read = parseRow(JSON.stringify(toRow(result))) as Rollout;
    expect(read.usage).toEqual(result.usage);
    expect(read.unfinishedCalls?.map(({ messages }) => messages)).toEqual(
      result.unfinishedCalls!.map(({ messages }) => messages),
    );
  });

  test.each([
    ["times out", "timeout", { turnTimeout: 1_500 }],
    ["is cancelled", "cancelled", {}],
  ])("that %s leaves its calls in the record", async (_, code, options) => {
    const controller = new AbortController();
    const hanging: AgentFunction = async (session) => {
      await askChat(session, "France?");
      if (code === "cancelled") controller.abort();
      return new Promise(() => {});
    };
    const model = agent(hanging, { model: upstream });
    const example = { prompt: "?", answer: "" };
    const { signal } = controller;
    const result = await rollout(geography(), example, { model, signal, ...options });
    expect(result).toMatchObject({ error: { code }, unfinishedCalls: [{ dialect: "chat" }] });
  });

  test("whose conversation exceeds its model's context leaves its calls in the record", async () => {
    const overflow = new RolloutError("model", "Too long.", { isOverflow: true });
    const asking: AgentFunction = async (session) => {
      await askChat(session, "France?");
      return askChat(session, "Italy?", { role: "assistant", content: "Paris" });
    };
    const result = await play(asking, { model: scriptedModel("Paris", overflow) });
    expect(result).toMatchObject({
      status: "scored",
      stopReason: "context",
      unfinishedCalls: [{ message: { content: "Paris" } }, { error: "Too long." }],
    });
  });

  test("whose model fails gives the code model, not agent", async () => {
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
