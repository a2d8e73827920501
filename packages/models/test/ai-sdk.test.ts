import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { assistantMessage, type Message, type ModelRequest, userMessage } from "@envs/core";
import { aiSdk } from "@envs/models";
import { modelServer, type ModelServerOptions } from "@envs/models/testing";
import { describe, expect, test } from "vitest";

const never = new AbortController().signal;
const hi: Message[] = [userMessage("Hi.")];

type Generate = LanguageModelV4["doGenerate"];
type Generated = Awaited<ReturnType<Generate>>;

const usage: Generated["usage"] = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const generated = (change: Partial<Generated> = {}): Generated => ({
  content: [{ type: "text", text: "hello" }],
  finishReason: { unified: "stop", raw: "stop" },
  usage,
  warnings: [],
  ...change,
});

function model(doGenerate: Generate): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "hand",
    modelId: "made",
    supportedUrls: {},
    doGenerate,
    doStream: () => Promise.reject(new Error("must not be called")),
  };
}

const ask = (doGenerate: Generate, request: Partial<ModelRequest> = {}, retries = 0) =>
  aiSdk(model(doGenerate), { retries })({ messages: hi, signal: never, ...request });
const read = (change: Partial<Generated>) => ask(async () => generated(change));

const call = (id: string, name: string, args: string) =>
  ({ id, type: "function", function: { name, arguments: args } }) as const;

test("passes prompt, tools, sampling, seed and signal to the SDK's model", async () => {
  const received: unknown[] = [];
  const messages: Message[] = [
    { role: "system", content: "Be brief." },
    userMessage("Look."),
    { ...assistantMessage("I look."), tool_calls: [call("c", "look", '{"at":1}')] },
    { role: "tool", tool_call_id: "c", content: "dark" },
    { ...assistantMessage(""), tool_calls: [call("d", "look", "{broken")] },
    { role: "tool", tool_call_id: "d", content: "no" },
  ];
  await ask(
    async (options) => {
      received.push(options);
      return generated();
    },
    {
      messages,
      tools: [{ name: "look", description: "Look", parameters: { type: "object" } }],
      sampling: { temperature: 0.5, topP: 0.9, maxTokens: 10, stop: ["X"] },
      seed: 7,
    },
  );
  const result = (toolCallId: string, value: string) => ({
    role: "tool",
    content: [
      { type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value } },
    ],
  });
  expect(received).toEqual([
    {
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Look." }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool-call", toolCallId: "c", toolName: "look", input: { at: 1 } },
          ],
        },
        result("c", "dark"),
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "d", toolName: "look", input: "{broken" }],
        },
        result("d", "no"),
      ],
      tools: [
        { type: "function", name: "look", description: "Look", inputSchema: { type: "object" } },
      ],
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 10,
      stopSequences: ["X"],
      seed: 7,
      abortSignal: never,
    },
  ]);
});

test("reads text, reasoning, calls and usage, and ignores calls that the provider ran", async () => {
  const content: Generated["content"] = [
    { type: "reasoning", text: "h" },
    { type: "reasoning", text: "m" },
    { type: "text", text: "hel" },
    { type: "tool-call", toolCallId: "c", toolName: "look", input: '{"at":1}' },
    { type: "text", text: "lo" },
    { type: "tool-call", toolCallId: "p", toolName: "web", input: "{}", providerExecuted: true },
  ];
  expect(await read({ content })).toEqual({
    message: {
      role: "assistant",
      content: "hello",
      reasoning_content: "hm",
      tool_calls: [call("c", "look", '{"at":1}')],
    },
    finish: "tool_calls",
    usage: { inputTokens: 3, outputTokens: 2 },
  });
});

test.for([
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "content_filter"],
  ["tool-calls", "stop"],
  ["other", "stop"],
] as const)("reads the finish reason %s as %s", async ([unified, finish]) => {
  expect(await read({ finishReason: { unified, raw: undefined } })).toMatchObject({ finish });
});

test("fails the turn when the response ends with an error", async () => {
  await expect(
    read({ finishReason: { unified: "error", raw: "overloaded" } }),
  ).rejects.toMatchObject({ code: "model", message: expect.stringContaining("overloaded") });
});

test("supports version 3 of the interface", async () => {
  const older: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "hand",
    modelId: "older",
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: "text", text: "hello" }],
      finishReason: { unified: "stop", raw: "stop" },
      usage,
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error("must not be called")),
  };
  const adapted = aiSdk(older);
  expect(adapted.id).toBe("older");
  expect(await adapted({ messages: hi, signal: never })).toMatchObject({
    message: assistantMessage("hello"),
    finish: "stop",
  });
});

test("fails the turn when the provider throws a value that is not an Error", async () => {
  for (const thrown of ["text", undefined, null])
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a stranger's model may do
    await expect(ask(() => Promise.reject(thrown))).rejects.toMatchObject({ code: "model" });
});

test.for([
  [400, "maximum context length is 10 tokens", true],
  [400, "bad", false],
  [429, "too many tokens", false],
] as const)("%d with %j has isOverflow %s", async ([statusCode, message, isOverflow]) => {
  const fail = () => Promise.reject(Object.assign(new Error(message), { statusCode }));
  await expect(ask(fail)).rejects.toMatchObject({ code: "model", isOverflow });
});

describe.concurrent("a provider of the SDK over HTTP", () => {
  async function over(
    options: ModelServerOptions,
    request: Partial<ModelRequest> = {},
    retries = 0,
  ): Promise<{ result: unknown; requests: number }> {
    await using server = await modelServer(options);
    const provider = createOpenAICompatible({ name: "local", baseURL: server.url });
    const result = await aiSdk(provider("model"), { retries })({
      messages: hi,
      signal: never,
      ...request,
    }).catch((error: unknown) => error);
    return { result, requests: server.requests };
  }

  test("returns a response", async () => {
    expect((await over({ answer: () => "hello" })).result).toMatchObject({
      message: assistantMessage("hello"),
      finish: "stop",
      usage: { inputTokens: 1, outputTokens: 2 },
    });
  });

  test("sends tools and their results", async () => {
    const seen: ModelRequest[] = [];
    const messages: Message[] = [
      ...hi,
      { ...assistantMessage(""), tool_calls: [call("c", "look", '{"at":1}')] },
      { role: "tool", tool_call_id: "c", content: "dark" },
    ];
    const { result } = await over(
      {
        answer(request) {
          seen.push(request);
          return { ...assistantMessage(""), tool_calls: [call("d", "look", '{"at":2}')] };
        },
      },
      { messages, tools: [{ name: "look", description: "Look", parameters: { type: "object" } }] },
    );
    expect(seen[0]?.messages).toMatchObject(messages);
    expect(result).toMatchObject({
      finish: "tool_calls",
      message: { tool_calls: [{ function: { name: "look", arguments: '{"at":2}' } }] },
    });
  });

  test.for([
    ["a rate limit", { rateLimit: { first: 1, retryAfter: 0 } }],
    ["a server error", { serverError: { first: 1 } }],
    ["a dropped connection", { drop: { first: 1 } }],
  ] as const)("is retried after %s", async ([, faults]) => {
    const { result, requests } = await over({ faults, answer: () => "hello" }, {}, 2);
    expect(result).toMatchObject({ message: { content: "hello" } });
    expect(requests).toBe(2);
  });

  test.for([400, 401, 404])("is not retried after %d", async (status) => {
    const { result, requests } = await over({ faults: { serverError: { status } } }, {}, 2);
    expect(result).toMatchObject({ code: "model", isFatal: status !== 400 });
    expect(requests).toBe(1);
  });

  test("is not retried after an abort", async () => {
    const reason = new Error("enough");
    const { result } = await over({ faults: { stall: {} } }, { signal: signalIn(30, reason) });
    expect(result).toBe(reason);
  });
});

function signalIn(milliseconds: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), milliseconds);
  return controller.signal;
}
