import { once } from "node:events";
import type { ServerResponse } from "node:http";

import type { Model } from "@envs/core";
import { gemini, messages, responses, startGateway } from "@envs/gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { type Body, reader, upstream } from "./support/upstream.ts";

interface Sample {
  readonly name: string;
  readonly model: (origin: string) => Model;
  /** The path of a call at the base URL of a session. */
  readonly path: (isStream: boolean) => string;
  readonly upstreamPath: string;
  readonly request: Body;
  /** The request as the server receives it. */
  readonly sent: Body;
  readonly streamFields: Body;
  /** Events that reach the agent at once, then those that it receives after the call is recorded. */
  readonly events: readonly [readonly string[], readonly string[]];
  readonly whole: Body;
  readonly error: Body;
}

const named = (event: Body & { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const data = (event: Body): string => `data: ${JSON.stringify(event)}\n\n`;

const messageItem = {
  type: "message",
  id: "m1",
  role: "assistant",
  status: "completed",
  x_own: true,
  content: [{ type: "output_text", text: "Hello", annotations: [] }],
};
const callItem = {
  type: "function_call",
  id: "f1",
  call_id: "c1",
  name: "look",
  arguments: '{"at":"a"}',
};
const response = {
  id: "resp_up",
  status: "completed",
  output: [messageItem, callItem],
  usage: { input_tokens: 7, output_tokens: 3, input_tokens_details: { cached_tokens: 2 } },
};
const message = {
  id: "msg_up",
  type: "message",
  x_own: true,
  content: [
    { type: "text", text: "Hello" },
    { type: "tool_use", id: "c1", name: "look", input: { at: "a" } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 2 },
};
const call = { functionCall: { id: "c1", name: "look", args: { at: "a" } }, thoughtSignature: "s" };
const counts = { promptTokenCount: 7, candidatesTokenCount: 3, cachedContentTokenCount: 2 };
const chunk = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  x_own: true,
});

const samples: readonly Sample[] = [
  {
    name: "responses",
    model: (origin) => responses("real", { baseURL: `${origin}/v1`, apiKey: "key" }),
    path: () => "/v1/responses",
    upstreamPath: "/v1/responses",
    request: {
      model: "asked",
      input: [{ type: "message", role: "user", content: "Hello" }],
      temperature: 0.9,
      max_output_tokens: 50,
      store: true,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "web_search" }],
    },
    sent: { model: "real", temperature: 0.5 },
    streamFields: { stream: true },
    events: [
      [
        named({ type: "response.created", response: { ...response, output: [] } }),
        named({ type: "response.output_text.delta", delta: "Hello", x_own: true }),
        named({ type: "response.output_item.done", item: messageItem }),
      ],
      [
        named({ type: "response.output_item.done", item: callItem }),
        named({ type: "response.completed", response }),
      ],
    ],
    whole: response,
    error: { error: { message: "Too fast.", type: "rate_limit_error", code: "x" } },
  },
  {
    name: "messages",
    model: (baseURL) => messages("real", { baseURL, apiKey: "key" }),
    path: () => "/v1/messages",
    upstreamPath: "/v1/messages",
    request: {
      model: "asked",
      max_tokens: 50,
      messages: [
        { role: "user", content: "Hello" },
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: "Hm.", signature: "signed" }],
        },
        {
          role: "user",
          content: [{ type: "text", text: "?", cache_control: { type: "ephemeral" } }],
        },
      ],
      temperature: 0.9,
      thinking: { type: "enabled", budget_tokens: 10 },
    },
    sent: { model: "real", temperature: 0.5 },
    streamFields: { stream: true },
    events: [
      [
        named({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        named({ type: "ping" }),
        named({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "Hello" },
        }),
        named({
          type: "content_block_start",
          index: 1,
          content_block: { type: "tool_use", id: "c1", name: "look", input: {} },
        }),
        named({
          type: "content_block_delta",
          index: 1,
          delta: { type: "input_json_delta", partial_json: '{"at":"a"}' },
        }),
      ],
      [
        named({
          type: "message_delta",
          delta: { stop_reason: "tool_use" },
          usage: { output_tokens: 3 },
        }),
        named({ type: "message_stop" }),
      ],
    ],
    whole: message,
    error: { type: "error", error: { type: "rate_limit_error", message: "Too fast." } },
  },
  {
    name: "gemini",
    model: (baseURL) => gemini("real", { baseURL, apiKey: "key" }),
    path: (isStream) =>
      `/v1beta/models/asked:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    upstreamPath: "/v1beta/models/real:",
    request: {
      contents: [{ role: "user", parts: [{ text: "Hello", x_own: 1 }] }],
      generationConfig: {
        temperature: 0.9,
        maxOutputTokens: 50,
        thinkingConfig: { thinkingBudget: 5 },
      },
      safetySettings: [],
    },
    sent: {
      generationConfig: {
        temperature: 0.5,
        maxOutputTokens: 50,
        thinkingConfig: { thinkingBudget: 5 },
      },
    },
    streamFields: {},
    events: [
      [data(chunk([{ text: "Hel" }])), data(chunk([{ text: "lo" }]))],
      [
        data(chunk([call])),
        data({ ...chunk([{ text: "" }], { finishReason: "STOP" }), usageMetadata: counts }),
      ],
    ],
    whole: { ...chunk([{ text: "Hello" }, call], { finishReason: "STOP" }), usageMetadata: counts },
    error: { error: { code: 429, message: "Too fast.", status: "RESOURCE_EXHAUSTED" } },
  },
];

describe.each(samples)("$name", (sample) => {
  async function start(
    answer: (response: ServerResponse) => unknown,
    onCall: () => Promise<void> = async () => {},
    { retryGrace }: { readonly retryGrace?: number } = {},
  ) {
    const server = await upstream(answer);
    const gateway = await startGateway({ retryGrace });
    onTestFinished(gateway.close);
    const model = sample.model(server.origin);
    const session = gateway.open({ model, sampling: { temperature: 0.5 }, onCall });
    const post = (isStream: boolean, signal?: AbortSignal): Promise<Response> =>
      fetch(`${session.origin}${sample.path(isStream)}`, {
        method: "POST",
        headers: { "anthropic-beta": "new-1", "openai-beta": "new-1" },
        body: JSON.stringify({ ...sample.request, ...(isStream && sample.streamFields) }),
        ...(signal && { signal }),
      });
    return { server, session, post };
  }

  const recorded = {
    message: {
      content: "Hello",
      tool_calls: [{ id: "c1", function: { name: "look", arguments: '{"at":"a"}' } }],
    },
    finish: "tool_calls",
    usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2 },
  };
  const [first, last] = sample.events;

  test("passes events on as they come, and the last ones once the call is recorded", async () => {
    const { promise: mayRecord, resolve: record } = Promise.withResolvers<void>();
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    const { session, server, post } = await start(
      async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(first[0]);
        await isRead;
        response.end([...first.slice(1), ...last].join(""));
      },
      () => mayRecord,
    );
    const next = reader(await post(true));
    expect(await next()).toBe(first[0]);
    read();
    let text = "";
    while (text.length < first.slice(1).join("").length) text += await next();
    expect(text).toBe(first.slice(1).join(""));
    await expect.poll(() => session.calls.length).toBe(1);
    const rest = next();
    const timer = new Promise((resolve) => setTimeout(resolve, 50, "held"));
    expect(await Promise.race([rest, timer])).toBe("held");
    record();
    expect(await rest).toBe(last.join(""));
    expect(session.calls).toMatchObject([recorded]);
    expect(server.bodies).toEqual([{ ...sample.request, ...sample.sent, ...sample.streamFields }]);
    expect(server.requests[0]!.url).toContain(sample.upstreamPath);
    expect(Object.values(server.requests[0]!.headers).join(" ")).toContain("key");
  });

  test("passes a whole reply on byte for byte", async () => {
    const bytes = JSON.stringify(sample.whole, null, 1);
    const { session, server, post } = await start((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(bytes),
    );
    expect(await (await post(false)).text()).toBe(bytes);
    expect(session.calls).toMatchObject([recorded]);
    expect(server.bodies).toEqual([{ ...sample.request, ...sample.sent }]);
    if (sample.name !== "gemini")
      expect(Object.values(server.requests[0]!.headers)).toContain("new-1");
  });

  test("reports an error of the server in the agent's format", async () => {
    const { session, server, post } = await start((response) =>
      response
        .writeHead(server.bodies.length > 1 ? 400 : 429, { "retry-after-ms": "1" })
        .end(JSON.stringify(sample.error)),
    );
    const answer = await post(true);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    expect(error.message).toContain("rejected the request: 400 Too fast.");
    expect(server.bodies).toHaveLength(2);
    expect(session.calls).toMatchObject([{ error: expect.stringContaining("Too fast.") }]);
  });

  test("does not ask again after a stream that breaks off", async () => {
    const { session, server, post } = await start((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(first.join(""));
      setTimeout(() => response.destroy(), 20);
    });
    const text = await (await post(true)).text();
    expect(text.startsWith(first.join(""))).toBe(true);
    expect(text).toContain("error");
    expect(server.bodies).toHaveLength(1);
    expect(session.calls).toMatchObject([
      { message: { content: "Hello" }, error: expect.stringContaining("closed before") },
    ]);
  });

  test("cancels the call at the server when the agent disconnects", async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<string>();
    const { post } = await start(
      async (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(first[0]);
        await once(response, "close");
        close("closed");
      },
      undefined,
      { retryGrace: 0 },
    );
    const controller = new AbortController();
    const answer = await post(true, controller.signal);
    await reader(answer)();
    controller.abort();
    expect(await closed).toBe("closed");
  });
});

test("an agent refers to a response that was relayed", async () => {
  const server = await upstream((answer) => answer.end(JSON.stringify(response)));
  await using gateway = await startGateway();
  const model = responses("real", { baseURL: `${server.origin}/v1` });
  const { baseURL } = gateway.open({ model });
  const post = (body: Body) =>
    fetch(`${baseURL}/responses`, { method: "POST", body: JSON.stringify(body) });
  await (await post({ model: "any", input: "Hello" })).text();
  const output = { type: "function_call_output", call_id: "c1", output: "found" };
  await (await post({ model: "any", previous_response_id: "resp_up", input: [output] })).text();
  expect(server.bodies[1]).toMatchObject({
    input: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello" },
      { type: "function_call", call_id: "c1", name: "look" },
      output,
    ],
  });
  expect(server.bodies[1]).not.toHaveProperty("previous_response_id");
});

test("a request that was changed on its way is written anew", async () => {
  const server = await upstream((answer) => answer.end(JSON.stringify(message)));
  await using gateway = await startGateway();
  const model = messages("real", { baseURL: server.origin });
  const { origin } = gateway.open({
    model: (request) =>
      model({ ...request, messages: [...request.messages, { role: "user", content: "Briefly." }] }),
  });
  const answer = await fetch(`${origin}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ ...samples[1]!.request, x_unknown: 1 }),
  });
  expect(await answer.json()).not.toHaveProperty("x_own");
  expect(server.bodies[0]).not.toHaveProperty("x_unknown");
  expect(server.bodies[0]!["messages"]).toHaveLength(4);
});
