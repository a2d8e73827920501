import { gemini, messages, responses, startGateway } from "@envs/gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { type Body, reader, upstream } from "./support/upstream.ts";

const data = (event: Body, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
const typed = (event: Body & { readonly type: string }): string => data(event, event.type);
const user = [{ role: "user", content: "Hello" }];
const item = { type: "message", id: "m1", role: "assistant", status: "in_progress", content: [] };

describe("a cancelled stream", () => {
  test.each([
    {
      name: "responses",
      model: (origin: string) => responses("real", { baseURL: `${origin}/v1`, apiKey: "key" }),
      path: "/v1/responses",
      body: { model: "asked", input: "Hello", stream: true },
      events: [
        typed({ type: "response.created", response: { id: "resp_1", output: [] } }),
        typed({ type: "response.output_item.added", output_index: 0, item }),
        typed({ type: "response.output_text.delta", output_index: 0, delta: "Hello, " }),
        typed({ type: "response.output_text.delta", output_index: 0, delta: "you" }),
      ],
      usage: { outputTokens: 3 },
    },
    {
      name: "messages",
      model: (origin: string) => messages("real", { baseURL: origin, apiKey: "key" }),
      path: "/v1/messages",
      body: { model: "asked", max_tokens: 50, stream: true, messages: user },
      events: [
        typed({
          type: "message_start",
          message: {
            id: "msg_1",
            content: [],
            stop_reason: null,
            usage: { input_tokens: 70, cache_read_input_tokens: 5, output_tokens: 1 },
          },
        }),
        typed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        typed({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "Hello, you" },
        }),
      ],
      usage: { inputTokens: 75, cacheReadTokens: 5, outputTokens: 3 },
    },
    {
      name: "gemini",
      model: (origin: string) => gemini("real", { baseURL: origin, apiKey: "key" }),
      path: "/v1beta/models/asked:streamGenerateContent?alt=sse",
      body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
      events: [
        data({
          candidates: [{ content: { role: "model", parts: [{ text: "Hello, you" }] } }],
          usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9 },
        }),
      ],
      usage: { inputTokens: 7, outputTokens: 9 },
    },
  ])("of $name keeps what was received, and the usage until then", async (sample) => {
    const { name, path, body, events, usage } = sample;
    const server = await upstream((response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).write(events.join("")),
    );
    const gateway = await startGateway({ retryGrace: 10 });
    onTestFinished(gateway.close);
    const opened = gateway.open({ model: sample.model(server.origin) });
    const controller = new AbortController();
    const response = await fetch(`${opened.origin}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    const next = reader(response);
    let text = "";
    while (!text.includes("you")) text += await next();
    controller.abort();
    await expect.poll(() => opened.calls.length, { timeout: 120_000 }).toBe(1);
    expect(opened.calls).toMatchObject([
      {
        dialect: name,
        message: { content: "Hello, you" },
        error: "The client disconnected.",
        usage: { ...usage, isEstimated: true },
      },
    ]);
  });
});
