import {
  assistantMessage,
  callTools,
  defineEnvironment,
  end,
  evaluate,
  type Model,
  type Rollout,
  userMessage,
} from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";
import { openTelemetry, telemetryFromVariables } from "@envs/otel";
import { expect, test } from "vitest";
import * as z from "zod";

import { collector } from "./support/collector.ts";

const search = defineEnvironment({
  name: "search",
  dataset: () => [{ prompt: "When was Ada born?", id: "ada" }],
  tools: {
    find: {
      description: "Find a name",
      input: z.object({ query: z.string() }),
      execute: () => "Ada, born 1815",
    },
  },
  rubric: {
    answered: ({ reply }) => ({ score: reply === "1815", feedback: "The year is right." }),
  },
});

const model = scriptedModel(callTools([["find", { query: "Ada" }]]), {
  message: { role: "assistant", content: "1815" },
  finish: "stop",
  usage: { inputTokens: 90, outputTokens: 10 },
});

async function played(reply = model): Promise<readonly Rollout[]> {
  return (await evaluate(search(), { model: reply, rolloutsPerExample: 1 })).rollouts;
}

test("exports an episode, its calls of the model and of tools, and its scores", async () => {
  const { endpoint, spans, records, headers, services } = await collector();
  const telemetry = openTelemetry({
    endpoint: `${endpoint}/`,
    headers: { "x-key": "secret" },
    model: "gpt-x",
    provider: "openai",
    sampling: { temperature: 0.5 },
  });
  for (const rollout of await played()) telemetry.record(rollout);
  expect(await telemetry.close()).toEqual({ exported: 6, failed: 0, problem: undefined });

  expect(services).toEqual(new Set(["envs"]));
  expect(new Set(headers)).toEqual(new Set(["secret"]));
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    "chat gpt-x",
    "chat gpt-x",
    "execute_tool find",
    "invoke_agent search",
  ]);
  const episode = spans.find(({ name }) => name === "invoke_agent search")!;
  expect(episode.parentSpanId ?? "").toBe("");
  expect(episode.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "search",
    "gen_ai.conversation.id": "ada/0",
    "envs.reward": 1,
    "envs.stop_reason": "end",
  });
  const children = spans.filter((each) => each !== episode);
  for (const child of children) {
    expect(child).toMatchObject({ traceId: episode.traceId, parentSpanId: episode.spanId });
    expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(
      BigInt(episode.startTimeUnixNano),
    );
    expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(episode.endTimeUnixNano));
  }
  expect(children.at(-1)!.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-x",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.usage.input_tokens": 90,
    "gen_ai.usage.output_tokens": 10,
  });
  expect(records.map((each) => [each.eventName, each.attributes])).toEqual([
    [
      "gen_ai.evaluation.result",
      { "gen_ai.evaluation.name": "reward", "gen_ai.evaluation.score.value": 1 },
    ],
    [
      "gen_ai.evaluation.result",
      { "gen_ai.evaluation.name": "answered", "gen_ai.evaluation.score.value": 1 },
    ],
  ]);
  expect(records.every(({ spanId }) => spanId === episode.spanId)).toBe(true);
  expect(JSON.stringify([spans, records])).not.toMatch(/Ada|The year/);
});

test("exports each call of a judge, and the sum of the calls in a saved record", async () => {
  const { endpoint, spans } = await collector();
  const judged = defineEnvironment({
    name: "judged",
    dataset: () => [{ prompt: "When was Ada born?" }],
    rubric: {
      right: {
        needs: ["judge"],
        score: async ({ prompt, judge }) =>
          Number((await judge!({ messages: prompt })).message.content),
      },
    },
  });
  const judge = Object.assign(
    scriptedModel({
      message: { role: "assistant", content: "1" },
      finish: "stop",
      usage: { inputTokens: 40, outputTokens: 1, cacheReadTokens: 30 },
      server: { responseId: "judged-1" },
    }),
    { id: "strict" },
  );
  const settings = { endpoint, model: "gpt-x", provider: "openai", captureContent: true };
  const telemetry = openTelemetry(settings);
  const options = { model: scriptedModel("1815"), judge, rolloutsPerExample: 1 };
  for (const rollout of (await evaluate(judged(), options)).rollouts)
    for (const each of [rollout, { ...rollout, judgeCalls: undefined }]) telemetry.record(each);
  await telemetry.close();
  const episode = spans.find(({ name }) => name === "invoke_agent judged")!;
  const [call, sum] = spans.filter(({ name }) => name === "chat strict");
  expect(call).toMatchObject({ traceId: episode.traceId, parentSpanId: episode.spanId, kind: 3 });
  expect(call!.attributes).toMatchObject({
    "gen_ai.request.model": "strict",
    "gen_ai.response.id": "judged-1",
    "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] },
    "gen_ai.usage.cache_read.input_tokens": 30,
    "gen_ai.input.messages": expect.stringContaining("When was Ada born?") as string,
    "gen_ai.output.messages": expect.stringContaining('"content":"1"') as string,
  });
  expect(sum!.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "strict",
    "gen_ai.usage.input_tokens": 40,
    "gen_ai.usage.output_tokens": 1,
    "gen_ai.usage.cache_read.input_tokens": 30,
    "envs.judge.calls": 1,
    "envs.judge.cached": 0,
  });
});

test("exports each call of an agent with its own facts, also one that led to no reply", async () => {
  const { endpoint, spans } = await collector();
  const span = { start: 1_795_000_000_000, end: 1_795_000_000_500 };
  const ask = userMessage("When was Ada born?");
  const call = (requestedModel: string, content: string): AgentCall => ({
    dialect: "chat",
    requestedModel,
    messages: [ask],
    message: assistantMessage(content),
    finish: "stop",
    usage: { inputTokens: 7, outputTokens: 2 },
    tokens: undefined,
    sampling: { maxTokens: 50, stop: ["END"] },
    server: { responseId: `id of ${content}`, model: `${requestedModel}-2026` },
    model: span,
  });
  const failed = {
    ...call("worker", ""),
    error: "The client disconnected.",
    server: { status: 429 },
  };
  const vector = call("embedder", "[[1,0]]");
  const embedded = { ...vector, dialect: "embeddings", sampling: undefined };
  const agent: Model = async ({ onCall }) => {
    onCall?.(failed);
    const calls = [failed, call("planner", "1815?"), embedded, call("worker", "1815")];
    return { message: assistantMessage("1815"), finish: "stop", calls };
  };
  const telemetry = openTelemetry({ endpoint, model: "agent", captureContent: true });
  for (const rollout of await played(agent)) telemetry.record(rollout);
  await telemetry.close();
  const chats = spans.filter(({ name }) => name.startsWith("chat "));
  expect(chats.map(({ name }) => name)).toEqual(["chat worker", "chat planner", "chat worker"]);
  const vectors = spans.find(({ name }) => name === "embeddings embedder")!;
  expect(vectors.attributes).toMatchObject({
    "gen_ai.operation.name": "embeddings",
    "gen_ai.usage.input_tokens": 7,
  });
  expect(vectors.attributes).not.toHaveProperty("gen_ai.output.messages");
  expect(chats[0]).toMatchObject({
    attributes: { "error.type": "429" },
    status: { code: 2, message: "The client disconnected." },
  });
  expect(chats[2]!.attributes).toMatchObject({
    "gen_ai.conversation.id": "ada/0",
    "gen_ai.request.max_tokens": 50,
    "gen_ai.response.id": "id of 1815",
    "gen_ai.response.model": "worker-2026",
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 2,
  });
  expect(JSON.parse(chats[2]!.attributes["gen_ai.output.messages"] as string)).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "1815" }], finish_reason: "stop" },
  ]);
});

test("exports each seat as an agent, with its model, its calls and its scores", async () => {
  const { endpoint, spans, records } = await collector();
  const duel = defineEnvironment({
    name: "duel",
    dataset: () => [{ prompt: [], id: "first" }],
    setup: () => ({ bids: [] as string[] }),
    seats: {
      players: { left: {}, right: {} },
      turn: ({ state }) => (state.bids.length === 0 ? "left" : "right"),
      observe: () => "Bid.",
    },
    respond({ state, reply }) {
      state.bids.push(reply);
      return state.bids.length === 2 ? end() : [];
    },
    rubric: { bid: ({ state, seat }) => Number(state.bids[seat === "left" ? 0 : 1]) },
  });
  const bid = (id: string, content: string): Model =>
    Object.assign(
      async () => ({
        message: assistantMessage(content),
        finish: "stop" as const,
        usage: { inputTokens: 5, outputTokens: Number(content) },
        server: { responseId: `${id}-1`, model: id },
      }),
      { id },
    );
  const options = { model: { left: bid("a", "1"), right: bid("b", "2") }, rolloutsPerExample: 1 };
  const telemetry = openTelemetry({ endpoint, model: "a" });
  for (const rollout of (await evaluate(duel(), options)).rollouts) telemetry.record(rollout);
  await telemetry.close();
  for (const [seat, model, tokens] of [
    ["left", "a", 1],
    ["right", "b", 2],
  ] as const) {
    const agent = spans.find(({ name }) => name === `invoke_agent ${seat}`)!;
    expect(agent.attributes).toMatchObject({
      "gen_ai.conversation.id": `first/0/${seat}`,
      "gen_ai.request.model": model,
      "envs.reward": tokens,
    });
    const chat = spans.find(({ name }) => name === `chat ${model}`)!;
    expect(chat.parentSpanId).toBe(agent.spanId);
    expect(chat.attributes).toMatchObject({
      "gen_ai.response.id": `${model}-1`,
      "gen_ai.usage.output_tokens": tokens,
      "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] },
    });
    const scores = records.filter(({ spanId }) => spanId === agent.spanId);
    expect(scores.map(({ attributes }) => attributes["gen_ai.evaluation.score.value"])).toEqual([
      tokens,
      tokens,
    ]);
  }
});

test("exports images, sounds, files, thoughts and tools as parts of messages", async () => {
  const { endpoint, spans } = await collector();
  const shown = defineEnvironment({
    name: "shown",
    media: { kinds: ["image", "audio", "file"] },
    dataset: () => [
      {
        prompt: [
          userMessage([
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
            { type: "input_audio", input_audio: { data: "UklGRgAAAABXQVZF", format: "wav" } },
            {
              type: "file",
              file: { file_data: "data:application/pdf;base64,JVBERi0xLjc=", filename: "a" },
            },
          ]),
        ],
      },
    ],
    tools: { look: { description: "Looks", input: z.object({}), execute: () => "a cat" } },
    rubric: { any: () => 1 },
  });
  const reply = scriptedModel(
    { ...callTools([["look", {}]]), reasoning_content: "I should look." },
    "A cat.",
  );
  const telemetry = openTelemetry({ endpoint, model: "gpt-x", captureContent: true });
  const options = { model: reply, rolloutsPerExample: 1 };
  for (const rollout of (await evaluate(shown(), options)).rollouts) telemetry.record(rollout);
  await telemetry.close();
  const last = spans.findLast(({ name }) => name === "chat gpt-x")!;
  const input = JSON.parse(last.attributes["gen_ai.input.messages"] as string) as {
    readonly parts: readonly unknown[];
  }[];
  expect(input.flatMap(({ parts }) => parts)).toEqual([
    { type: "text", content: "What is this?" },
    { type: "blob", modality: "image", mime_type: "image/png", content: "iVBORw0KGgo=" },
    { type: "uri", modality: "image", uri: "https://example.com/a.png" },
    { type: "blob", modality: "audio", mime_type: "audio/wav", content: "UklGRgAAAABXQVZF" },
    { type: "blob", modality: "document", mime_type: "application/pdf", content: "JVBERi0xLjc=" },
    { type: "reasoning", content: "I should look." },
    { type: "tool_call", id: expect.any(String) as string, name: "look", arguments: {} },
    { type: "tool_call_response", id: expect.any(String) as string, response: "a cat" },
  ]);
});

test("exports messages, arguments and explanations if the caller asks for them", async () => {
  const { endpoint, spans, records } = await collector();
  const telemetry = openTelemetry({ endpoint, model: "gpt-x", captureContent: true });
  for (const rollout of await played()) telemetry.record(rollout);
  await telemetry.close();
  const tool = spans.find(({ name }) => name === "execute_tool find")!;
  expect(tool.attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"query":"Ada"}',
    "gen_ai.tool.call.result": "Ada, born 1815",
  });
  expect(records[1]!.attributes["gen_ai.evaluation.explanation"]).toBe("The year is right.");
  const chat = spans.find(({ name }) => name === "chat gpt-x");
  expect(chat!.attributes["gen_ai.input.messages"]).toContain("When was Ada born?");
});

test("marks a failed rollout with its code, and exports no score of it", async () => {
  const { endpoint, spans, records } = await collector();
  const telemetry = openTelemetry({ endpoint, model: "gpt-x" });
  for (const rollout of await played(scriptedModel(new Error("busy")))) telemetry.record(rollout);
  await telemetry.close();
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    attributes: { "error.type": "model" },
    status: { code: 2, message: "the model: busy" },
  });
  expect(records).toEqual([]);
});

test("reports a collector that rejects the data, and does not throw", async () => {
  const { endpoint } = await collector(400);
  const telemetry = openTelemetry({ endpoint, model: "gpt-x" });
  for (const rollout of await played()) telemetry.record(rollout);
  const report = await telemetry.close();
  expect(report).toMatchObject({ exported: 0, failed: 6 });
  expect(report.problem).toBeDefined();
});

test("is off without an endpoint, and reads OpenTelemetry's own variables", () => {
  expect(telemetryFromVariables({})).toBeUndefined();
  const endpoint = "http://localhost:4318";
  expect(
    telemetryFromVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" }),
  ).toBeUndefined();
  expect(
    telemetryFromVariables({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-team = evals",
      OTEL_SERVICE_NAME: "nightly",
    }),
  ).toEqual({
    endpoint,
    headers: { authorization: "Bearer abc", "x-team": "evals" },
    serviceName: "nightly",
    captureContent: false,
  });
  expect(() => openTelemetry({ endpoint: "localhost:4318", model: "gpt-x" })).toThrow(
    'The OTLP endpoint is "localhost:4318". It must be a URL such as http://localhost:4318.',
  );
});
