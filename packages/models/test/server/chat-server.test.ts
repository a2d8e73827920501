import { once } from "node:events";
import { type IncomingMessage, request as rawRequest } from "node:http";

import {
  assistantMessage,
  imagePart,
  type Model,
  type ModelRequest,
  RolloutError,
  userMessage,
} from "@envs/core";
import { checkTextOnly } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";
import { openai } from "@envs/models";
import { chatServer, type ChatServerOptions } from "@envs/models/server";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { png } from "../../../core/test/media-bytes.ts";

const hello = { model: "scripted", messages: [{ role: "user", content: "Hello" }] };

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Serves a model that records its requests. */
async function recording(options: ChatServerOptions = {}) {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push(request);
    return { message: assistantMessage("Hi."), finish: "stop" };
  };
  return { ...(await chatServer(model, { name: "scripted", ...options })), requests };
}

/** The events of a stream, without the closing mark. */
async function events(response: Response): Promise<Record<string, unknown>[]> {
  const lines = (await response.text()).split("\n\n").filter((line) => line !== "");
  expect(lines.pop()).toBe("data: [DONE]");
  return lines.map((line) => JSON.parse(line.replace(/^data: /, "")) as Record<string, unknown>);
}

describe("a completion", () => {
  test("has the format of OpenAI's API", async () => {
    await using server = await chatServer(
      async () => ({
        message: assistantMessage("Hi."),
        finish: "length",
        usage: { inputTokens: 5, outputTokens: 2 },
      }),
      { name: "scripted" },
    );
    const response = await post(server.url, hello);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: "chat.completion",
      created: expect.any(Number),
      model: "scripted",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi.", refusal: null },
          finish_reason: "length",
          logprobs: null,
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
  });

  test("passes messages, tools, sampling and seed to the model", async () => {
    await using server = await recording();
    const call = { id: "c", type: "function", function: { name: "look", arguments: "{" } };
    const parameters = { type: "object", properties: { at: { type: "string" } } };
    await post(server.url, {
      ...hello,
      messages: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look " },
            { type: "text", text: "up." },
          ],
        },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "Sky." },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters } }],
      temperature: 0,
      top_p: 0.5,
      max_tokens: 1,
      max_completion_tokens: 7,
      stop: "END",
      seed: 42,
      some_other_field: true,
    });
    const { signal: _, ...request } = server.requests[0]!;
    expect(request).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Look up." },
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "Sky." },
      ],
      tools: [{ name: "look", description: "Looks.", parameters }],
      sampling: { temperature: 0, topP: 0.5, maxTokens: 7, stop: ["END"] },
      seed: 42,
    });
  });

  test("passes images of prompts and tool results to the model", async () => {
    await using server = await recording();
    const messages = [
      userMessage([{ type: "text", text: "What is it?" }, imagePart(png)]),
      { role: "tool", tool_call_id: "c", content: [imagePart(png)] },
    ];
    expect((await post(server.url, { ...hello, messages })).status).toBe(200);
    expect(server.requests[0]!.messages).toEqual(messages);
  });

  test("with an image for a model that reads text only gets status 400", async () => {
    const blind = Object.assign(() => Promise.reject(new Error("must not be called")), {
      check: checkTextOnly("blind"),
    });
    await using server = await chatServer(blind, { name: "scripted" });
    const response = await post(server.url, {
      ...hello,
      messages: [userMessage([imagePart(png)])],
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("blind reads text only") },
    });
  });

  test("accepts null for an unset field", async () => {
    await using server = await recording();
    const nothing = { temperature: null, stop: null, seed: null, tools: null, stream: null };
    expect((await post(server.url, { ...hello, ...nothing })).status).toBe(200);
    expect(server.requests[0]!.sampling).toEqual({});
  });

  test("hides the tools from the model when tool_choice is `none`", async () => {
    await using server = await recording();
    const tools = [{ type: "function", function: { name: "look" } }];
    await post(server.url, { ...hello, tools, tool_choice: "none" });
    expect(server.requests[0]!.tools).toBeUndefined();
  });

  test("returns token ids and log-probabilities if requested and available", async () => {
    const tokens = { promptIds: [1, 2], completionIds: [3, 4], completionLogprobs: [-0.5, -1] };
    await using server = await chatServer(
      async () => ({ message: assistantMessage("Hi."), finish: "stop", tokens }),
      { name: "scripted" },
    );
    const body = { ...hello, logprobs: true, return_token_ids: true };
    expect(await (await post(server.url, body)).json()).toMatchObject({
      prompt_token_ids: [1, 2],
      choices: [
        {
          token_ids: [3, 4],
          logprobs: {
            content: [
              { token: "token_id:3", logprob: -0.5 },
              { token: "token_id:4", logprob: -1 },
            ],
          },
        },
      ],
    });
    const plain = (await (await post(server.url, hello)).json()) as Record<string, unknown>;
    expect(plain).not.toHaveProperty("prompt_token_ids");
  });

  test("reaches the openai model unchanged", async () => {
    const placeholders = { image: [{ offset: 1, length: 1 }] };
    const tokens = {
      promptIds: [1, 2],
      completionIds: [3],
      completionLogprobs: [-0.5],
      placeholders,
    };
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } } as const;
    const response = {
      message: { ...assistantMessage("I look."), reasoning_content: "Hm.", tool_calls: [call] },
      finish: "tool_calls",
      usage: { inputTokens: 2, outputTokens: 1 },
      tokens,
    } as const;
    await using server = await chatServer(async () => response, { name: "local" });
    const model = openai("local", { baseURL: server.url, tokens: true });
    const { signal } = new AbortController();
    expect(await model({ messages: [userMessage("Look.")], signal })).toEqual({
      ...response,
      server: { model: "local", responseId: expect.stringMatching(/^chatcmpl-/), status: 200 },
    });
  });
});

describe("a stream", () => {
  test("contains the whole message", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 80 }), async (content) => {
        await using server = await chatServer(scriptedModel(content));
        const chunks = await events(await post(server.url, { ...hello, stream: true }));
        const deltas = chunks.flatMap(
          (chunk) => chunk["choices"] as { delta: { content?: string } }[],
        );
        expect(deltas.map(({ delta }) => delta.content ?? "").join("")).toBe(content);
      }),
      { numRuns: 30 },
    );
  });

  test("begins with the role, ends with the finish reason, and reports usage on request", async () => {
    await using server = await chatServer(
      async () => ({
        message: assistantMessage("One two"),
        finish: "stop",
        usage: { inputTokens: 5, outputTokens: 2 },
      }),
      { name: "scripted" },
    );
    const plain = await events(await post(server.url, { ...hello, stream: true }));
    expect(plain.map((chunk) => chunk["choices"])).toEqual([
      [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
      [{ index: 0, delta: { content: "One " }, finish_reason: null }],
      [{ index: 0, delta: { content: "two" }, finish_reason: null }],
      [{ index: 0, delta: {}, finish_reason: "stop", logprobs: null }],
    ]);
    expect(plain.every((chunk) => !("usage" in chunk))).toBe(true);

    const body = { ...hello, stream: true, stream_options: { include_usage: true } };
    const last = (await events(await post(server.url, body))).at(-1)!;
    expect(last).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
  });

  test("contains tool calls that the openai client reads", async () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } } as const;
    await using server = await chatServer(
      scriptedModel({ ...assistantMessage("I look at it."), tool_calls: [call] }),
    );
    const { OpenAI } = await import("openai");
    const client = new OpenAI({ baseURL: server.url, apiKey: "none" });
    const completion = await client.chat.completions
      .stream({ model: "scripted", messages: [{ role: "user", content: "Look." }] })
      .finalChatCompletion();
    expect(completion.choices).toMatchObject([
      { message: { content: "I look at it.", tool_calls: [call] }, finish_reason: "tool_calls" },
    ]);
  });
});

describe("an invalid request", () => {
  test.for([
    ["that is not JSON", "{", "not JSON"],
    ["without messages", { model: "scripted" }, "messages"],
    ["with an empty conversation", { ...hello, messages: [] }, "at least one message"],
    ["with an unknown role", { ...hello, messages: [{ role: "oracle" }] }, "messages.0.role"],
    [
      "with a part of an unknown type",
      { ...hello, messages: [{ role: "user", content: [{ type: "video_url" }] }] },
      "messages.0.content: its content is neither text nor a list of parts",
    ],
    [
      "with an image that is not PNG",
      {
        ...hello,
        messages: [
          userMessage([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }]),
        ],
      },
      "messages.0.content: part 0: its media type is image/png, but its bytes are of another type",
    ],
    [
      "with an image in the system prompt",
      { ...hello, messages: [{ role: "system", content: [imagePart(png)] }] },
      "messages.0.content",
    ],
    ["that wants several choices", { ...hello, n: 2 }, "send one request for each choice"],
    ["with a temperature below 0", { ...hello, temperature: -1 }, "temperature"],
    ["that forces a tool", { ...hello, tool_choice: "required" }, "tool_choice"],
  ] as const)("returns 400 for %s", async ([, body, message]) => {
    await using server = await recording();
    const response = await post(server.url, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining(message) },
    });
    expect(server.requests).toEqual([]);
  });

  test("returns 401 without the API key", async () => {
    await using server = await recording({ apiKey: "sesame" });
    const refused = await post(server.url, hello);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: "invalid_api_key" } });
    expect((await post(server.url, hello, { authorization: "Bearer sesam" })).status).toBe(401);
    expect((await post(server.url, hello, { authorization: "Bearer sesame" })).status).toBe(200);
    expect((await fetch(`${server.url}/models`)).status).toBe(401);
  });

  test("returns 404 for another model", async () => {
    await using server = await recording();
    const response = await post(server.url, { ...hello, model: "larger" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: "model_not_found", param: "model" },
    });
  });

  test("returns 404 for another path and 405 for another method", async () => {
    await using server = await recording();
    expect((await fetch(`${server.url}/completions`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${server.url}/../constructor`)).status).toBe(404);
    const response = await fetch(`${server.url}/chat/completions`);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test.for([1, 1_000, 6_000])(
    "returns 413 for a body that is %d bytes too large",
    async (excess) => {
      await using server = await recording({ maxBodyBytes: 1000 });
      expect((await post(server.url, " ".repeat(1000 + excess))).status).toBe(413);
      expect((await post(server.url, hello)).status).toBe(200);
    },
  );

  test("survives a body that is far too large", async () => {
    await using server = await recording({ maxBodyBytes: 1000 });
    // Accepts either result: the sender may notice the closed connection before it reads the answer.
    const status = await post(server.url, " ".repeat(5_000_000)).then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect((await post(server.url, hello)).status).toBe(200);
  });
});

describe("a model that fails", () => {
  test("returns 500 with its message and without a stack trace", async () => {
    const errors: unknown[] = [];
    await using server = await chatServer(
      scriptedModel(new RolloutError("model", "The GPU is lost."), new Error("secret detail")),
      { onError: (error) => errors.push(error) },
    );
    const known = await post(server.url, hello);
    expect(known.status).toBe(500);
    expect(await known.json()).toMatchObject({
      error: { type: "server_error", message: "The GPU is lost." },
    });
    const further = [...hello.messages, { role: "assistant", content: "?" }, ...hello.messages];
    const unknown = await (await post(server.url, { ...hello, messages: further })).text();
    expect(unknown).toContain("The model failed.");
    expect(unknown).not.toContain("secret");
    expect(errors).toHaveLength(2);
  });

  test("returns an overflow error that the openai model recognizes", async () => {
    await using server = await chatServer(
      scriptedModel(new RolloutError("model", "9000 tokens are too many.", { isOverflow: true })),
    );
    const response = await post(server.url, hello);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
    const model = openai("scripted", { baseURL: server.url });
    const { signal } = new AbortController();
    await expect(model({ messages: [userMessage("Hello")], signal })).rejects.toMatchObject({
      code: "model",
      isOverflow: true,
    });
  });
});

describe("the server", () => {
  test("lists its models and reports its health", async () => {
    await using server = await recording();
    expect(await (await fetch(`${server.url}/models`)).json()).toMatchObject({
      object: "list",
      data: [{ id: "scripted", object: "model" }],
    });
    expect(await (await fetch(new URL("/health", server.url))).json()).toEqual({ status: "ok" });
  });

  test("aborts the model when the client disconnects", async () => {
    const { promise, resolve } = Promise.withResolvers<ModelRequest>();
    await using server = await chatServer(
      async (request) => {
        resolve(request);
        await once(request.signal, "abort");
        throw request.signal.reason;
      },
      { name: "scripted" },
    );
    const controller = new AbortController();
    const response = fetch(`${server.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify(hello),
      signal: controller.signal,
    });
    const { signal } = await promise;
    const aborted = once(signal, "abort");
    controller.abort();
    await expect(response).rejects.toThrow("aborted");
    await aborted;
  });

  test("aborts running requests when it closes", async () => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const server = await chatServer(
      ({ signal }) => {
        resolve(signal);
        return new Promise(() => {});
      },
      { name: "scripted" },
    );
    const response = post(server.url, hello);
    response.catch(() => undefined);
    const signal = await promise;
    await server.close();
    await server.close();
    await expect(response).rejects.toThrow("fetch failed");
    expect(signal.aborted).toBe(true);
  });

  test("names the port when it cannot listen", async () => {
    await using server = await recording();
    const model = scriptedModel("Hi.");
    await expect(chatServer(model, { port: server.port })).rejects.toThrow(
      `port ${server.port} (listen EADDRINUSE`,
    );
  });

  test("survives a client that sends half a request", async () => {
    await using server = await recording();
    const half = rawRequest(`${server.url}/chat/completions`, {
      method: "POST",
      headers: { "content-length": 1000 },
    });
    half.on("error", () => undefined);
    half.write("{");
    await once(half, "socket");
    half.destroy();
    expect((await post(server.url, hello)).status).toBe(200);
  });

  test("answers concurrent requests", async () => {
    await using server = await chatServer(scriptedModel(({ seed }) => String(seed)));
    const seeds = Array.from({ length: 200 }, (_, seed) => seed);
    const replies = await Promise.all(
      seeds.map(async (seed) => {
        const response = await post(server.url, { ...hello, seed });
        return (await response.json()) as { choices: { message: { content: string } }[] };
      }),
    );
    expect(
      replies.flatMap(({ choices }) => choices.map(({ message }) => Number(message.content))),
    ).toEqual(seeds);
  });
});

describe("without an API key, the server", () => {
  const chat = async (
    url: string,
    headers: Record<string, string>,
  ): Promise<number | undefined> => {
    const sent = rawRequest(`${url}/chat/completions`, { method: "POST", headers });
    sent.end(JSON.stringify(hello));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  test("rejects pages of other sites, and host names that were rebound to this machine", async () => {
    await using server = await recording();
    expect(await chat(server.url, { origin: "https://evil.example" })).toBe(403);
    expect(await chat(server.url, { host: "evil.example" })).toBe(403);
    expect(server.requests).toEqual([]);
  });

  test("serves clients that are not browsers, and the names of its options", async () => {
    await using server = await recording({ allowedHosts: ["gpu-3"] });
    expect(await chat(server.url, {})).toBe(200);
    expect(await chat(server.url, { host: "gpu-3:8080" })).toBe(200);
  });
});
