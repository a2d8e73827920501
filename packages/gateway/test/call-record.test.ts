import { defineEnvironment, type Model, type Rollout, rollout } from "@envs/core";
import { agent, gemini, messages, responses, startGateway } from "@envs/gateway";
import { openai } from "@envs/models";
import { parseRow, toRow } from "@envs/records";
import { describe, expect, onTestFinished, test } from "vitest";

import { type Body, upstream } from "./support/upstream.ts";

interface Sample {
  readonly dialect: string;
  readonly model: (origin: string) => Model;
  readonly path: string;
  readonly streamPath?: string;
  readonly request: Body;
  readonly reply: Body;
  readonly events: readonly Body[];
  readonly effort: string | number;
}

const user = [{ role: "user", content: "Hello" }];
const item = { type: "message", id: "m1", content: [{ type: "output_text", text: "Hi" }] };
const response = { id: "reply-7", model: "real-2026", status: "completed", output: [item] };
const message = { id: "reply-7", model: "real-2026", content: [{ type: "text", text: "Hi" }] };
const content = {
  responseId: "reply-7",
  modelVersion: "real-2026",
  candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
};
const completion = { id: "reply-7", model: "real-2026" };

const samples: readonly Sample[] = [
  {
    dialect: "chat",
    model: (origin) => openai("real", { baseURL: `${origin}/v1` }),
    path: "/v1/chat/completions",
    request: { model: "asked", messages: user, max_tokens: 50, reasoning_effort: "high" },
    reply: { ...completion, choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] },
    events: [{ ...completion, choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] }],
    effort: "high",
  },
  {
    dialect: "responses",
    model: (origin) => responses("real", { baseURL: `${origin}/v1`, apiKey: "key" }),
    path: "/v1/responses",
    request: {
      model: "asked",
      input: "Hello",
      max_output_tokens: 50,
      reasoning: { effort: "low" },
    },
    reply: response,
    events: [{ type: "response.completed", response }],
    effort: "low",
  },
  {
    dialect: "messages",
    model: (origin) => messages("real", { baseURL: origin, apiKey: "key" }),
    path: "/v1/messages",
    request: {
      model: "asked",
      messages: user,
      max_tokens: 50,
      thinking: { type: "enabled", budget_tokens: 1_024 },
    },
    reply: { ...message, stop_reason: "end_turn" },
    events: [
      { type: "message_start", message: { ...message, content: [] } },
      { type: "content_block_start", index: 0, content_block: message.content[0] },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
    ],
    effort: 1_024,
  },
  {
    dialect: "gemini",
    model: (origin) => gemini("real", { baseURL: origin, apiKey: "key" }),
    path: "/v1beta/models/asked:generateContent",
    streamPath: "/v1beta/models/asked:streamGenerateContent?alt=sse",
    request: {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { maxOutputTokens: 50, thinkingConfig: { thinkingLevel: "HIGH" } },
    },
    reply: content,
    events: [content],
    effort: "HIGH",
  },
];

const environment = defineEnvironment({
  name: "hello",
  dataset: () => [{ prompt: "Hello" }],
  rubric: { any: () => 1 },
});

describe.each(samples)("the record of a call of $dialect", (sample) => {
  const { dialect, model, path, streamPath = path, request, reply, events, effort } = sample;

  test.each([false, true])(
    "has its options and the server's report, streamed: %s",
    async (stream) => {
      const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      const server = await upstream((sent) =>
        stream
          ? sent.writeHead(200, { "content-type": "text/event-stream" }).end(lines)
          : sent.writeHead(200).end(JSON.stringify(reply)),
      );
      const isGemini = dialect === "gemini";
      const body = JSON.stringify({ ...request, ...(stream && !isGemini && { stream }) });
      const asking = agent(
        async ({ origin }) => {
          const url = `${origin}${stream ? streamPath : path}`;
          await (await fetch(url, { method: "POST", body })).text();
          return "Hi";
        },
        { model: model(server.origin) },
      );
      const example = { prompt: "Hello" };
      const sampling = { temperature: 0.5 };
      const played = await rollout(environment(), example, { model: asking, sampling });
      const call = played.trajectory[0]?.calls?.[0];
      expect(call).toMatchObject({
        requestedModel: "asked",
        sampling: { temperature: 0.5, maxTokens: 50 },
        effort,
        server: { status: 200, model: "real-2026", responseId: "reply-7" },
        message: { content: "Hi" },
      });
      const row = toRow(played);
      expect(row.trajectory?.[0]?.calls?.[0]).toMatchObject({
        requested_model: "asked",
        served_model: "real-2026",
        response_id: "reply-7",
        status: 200,
        sampling: { temperature: 0.5, max_tokens: 50 },
        effort,
      });
      const read = parseRow(JSON.stringify(row)) as Rollout;
      const {
        sampling: stored,
        effort: storedEffort,
        server: report,
      } = read.trajectory[0]!.calls![0]!;
      expect({ sampling: stored, effort: storedEffort, server: report }).toEqual({
        sampling: call!.sampling,
        effort: call!.effort,
        server: call!.server,
      });
    },
  );

  test("has the status of a server that rejects it, without tokens", async () => {
    const server = await upstream((sent) =>
      sent.writeHead(400).end(JSON.stringify({ error: { message: "No such field." } })),
    );
    const gateway = await startGateway();
    onTestFinished(gateway.close);
    const opened = gateway.open({ model: model(server.origin) });
    for (const [url, more] of [
      [path, {}],
      [streamPath, dialect === "gemini" ? {} : { stream: true }],
    ] as const)
      await fetch(`${opened.origin}${url}`, {
        method: "POST",
        body: JSON.stringify({ ...request, ...more }),
      });
    const rejected = {
      server: { status: 400 },
      error: expect.stringContaining("No such field."),
      usage: { inputTokens: 0, outputTokens: 0, isEstimated: true },
    };
    expect(opened.calls).toMatchObject([rejected, rejected]);
  });
});

test("a call without options and without a server has neither in its record", async () => {
  const asking = agent(
    async ({ baseURL }) => {
      const body = JSON.stringify({ model: "asked", messages: user });
      await (await fetch(`${baseURL}/chat/completions`, { method: "POST", body })).text();
      return "Hi";
    },
    { model: async () => ({ message: { role: "assistant", content: "Hi" }, finish: "stop" }) },
  );
  const played = await rollout(environment(), { prompt: "Hello" }, { model: asking });
  const row = toRow(played);
  expect(Object.keys(row.trajectory![0]!.calls![0]!).toSorted()).toEqual(
    ["after", "dialect", "finish_reason", "messages", "model", "reply"].concat([
      "requested_model",
      "tokens",
      "tool_defs",
      "usage",
    ]),
  );
  const [call] = (parseRow(JSON.stringify(row)) as Rollout).trajectory[0]!.calls!;
  expect(call).not.toHaveProperty("server");
  expect(call).not.toHaveProperty("sampling");
});
