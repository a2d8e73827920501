import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

import {
  assistantMessage,
  type Message,
  type ModelRequest,
  type RolloutError,
  userMessage,
} from "@envs/core";
import { openai, type OpenAIOptions } from "@envs/models";
import { describe, expect, test } from "vitest";

interface ReceivedRequest {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

type Handler = (response: ServerResponse, requestCount: number) => void | Promise<void>;

/** A server of chat completions that passes each request to a handler. */
async function serve(handle: Handler) {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { url, headers } = request;
    const body: unknown = JSON.parse(await readText(request));
    requests.push({ url, headers, body });
    await handle(response, requests.length);
  }).listen(0, "127.0.0.1");
  server.on("connection", () => (connections += 1));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    get connections() {
      return connections;
    },
    baseURL: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

const completion = (
  message: object = { content: "hello" },
  more: object = {},
  top: object = {},
) => ({
  id: "c1",
  object: "chat.completion",
  choices: [
    { index: 0, finish_reason: "stop", message: { role: "assistant", ...message }, ...more },
  ],
  ...top,
});
const failure = (message: string, code: string | null = null) => ({
  error: { message, type: "error", param: null, code },
});
const answer: Handler = (response) => send(response, completion());

const hi = [userMessage("Hi.")];
const never = new AbortController().signal;
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks a server that answers with `handle`. */
async function ask(
  handle: Handler,
  options: OpenAIOptions = {},
  request: Partial<ModelRequest> = {},
) {
  await using server = await serve(handle);
  const model = openai("small", { baseURL: server.baseURL, ...options });
  const result = await model({ messages: hi, signal: never, ...request }).catch(
    (error: unknown) => error as RolloutError,
  );
  return { requests: server.requests, result, body: server.requests[0]?.body };
}

const read = async (message: object, more: object = {}, top: object = {}) =>
  (await ask((response) => send(response, completion(message, more, top)), { retries: 0 })).result;

describe("the request", () => {
  test("has no field that was not set", async () => {
    const { requests, body } = await ask(answer, {}, { seed: 7 });
    expect(requests[0]?.url).toBe("/v1/chat/completions");
    expect(requests[0]?.headers.authorization).toBe("Bearer none");
    expect(body).toEqual({ model: "small", messages: [{ role: "user", content: "Hi." }] });
  });

  test("has the sampling of the run, then of the model", async () => {
    const { body } = await ask(
      answer,
      { sampling: { temperature: 0.1, topP: 0.9, stop: ["X"] } },
      { sampling: { temperature: 0.5, maxTokens: 12 } },
    );
    expect(body).toMatchObject({ temperature: 0.5, top_p: 0.9, max_tokens: 12, stop: ["X"] });
  });

  test("has the seed, tokens, extra fields, key and headers if configured", async () => {
    const { body, requests } = await ask(
      answer,
      {
        sendSeed: true,
        tokens: true,
        extraBody: { top_k: 5, chat_template_kwargs: { enable_thinking: false } },
        apiKey: "secret",
        headers: { "x-session": "7" },
      },
      { seed: 7 },
    );
    expect(body).toMatchObject({
      seed: 7,
      logprobs: true,
      return_token_ids: true,
      top_k: 5,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(requests[0]?.headers).toMatchObject({
      authorization: "Bearer secret",
      "x-session": "7",
    });
  });

  test("has tools, calls and results unchanged", async () => {
    const tools = [{ name: "look", description: "Look", parameters: { type: "object" } }];
    const messages: Message[] = [
      { role: "system", content: "Be brief." },
      userMessage("Look."),
      {
        ...assistantMessage(""),
        tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "dark" },
    ];
    const { body } = await ask(answer, {}, { messages, tools });
    expect(body).toMatchObject({ messages, tools: [{ type: "function", function: tools[0] }] });
  });

  test("omits earlier reasoning without keepReasoning", async () => {
    const messages: Message[] = [
      userMessage("Hi."),
      { ...assistantMessage("5"), reasoning_content: "2 + 3" },
    ];
    const stripped = await ask(answer, {}, { messages });
    expect(stripped.body).toMatchObject({ messages: [userMessage("Hi."), assistantMessage("5")] });
    expect(JSON.stringify(stripped.body)).not.toContain("2 + 3");
    expect((await ask(answer, { keepReasoning: true }, { messages })).body).toMatchObject({
      messages,
    });
  });
});

describe("the response", () => {
  test("is read with its usage and the server's report", async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const named = { id: "reply-7", model: "small-2026", usage };
    expect(await read({ content: "hello" }, {}, named)).toEqual({
      message: { role: "assistant", content: "hello" },
      finish: "stop",
      usage: { inputTokens: 3, outputTokens: 2 },
      server: { status: 200, model: "small-2026", responseId: "reply-7" },
    });
  });

  test.for([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["eos_token", "stop"],
    [null, "stop"],
  ] as const)("reads the finish reason %s as %s", async ([reason, finish]) => {
    expect(await read({ content: "x" }, { finish_reason: reason })).toMatchObject({ finish });
  });

  test.for([
    { reasoning_content: "hm" },
    { reasoning: "hm" },
    { reasoning: "hm", reasoning_content: "" },
    { reasoning_details: [{ type: "text", text: "h" }, { text: "m" }, { type: "encrypted" }] },
  ])("has its reasoning from %o", async (fields) => {
    expect(await read({ content: "5", ...fields })).toMatchObject({
      message: { content: "5", reasoning_content: "hm" },
    });
  });

  test.for([[null], [undefined]])("has an empty text for the content %s", async ([content]) => {
    expect(await read({ content })).toMatchObject({ message: { content: "" } });
  });

  test("joins the texts of content parts", async () => {
    const content = [
      { type: "text", text: "hel" },
      { type: "thinking" },
      { type: "text", text: "lo" },
    ];
    expect(await read({ content })).toMatchObject({ message: { content: "hello" } });
  });

  test("has its tool calls, also with invalid arguments and without ids", async () => {
    const result = await read(
      {
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "look", arguments: '{"at": ' } },
          { function: { name: "wait" } },
        ],
      },
      { finish_reason: "stop" },
    );
    expect(result).toMatchObject({
      finish: "tool_calls",
      message: {
        content: "",
        tool_calls: [
          { id: "a", function: { name: "look", arguments: '{"at": ' } },
          { id: "call_1_1", type: "function", function: { name: "wait", arguments: "" } },
        ],
      },
    });
  });

  test("has its exact tokens if ids and log-probabilities have the same length", async () => {
    const logprobs = {
      content: [
        { token: "a", logprob: -0.5 },
        { token: "b", logprob: -1 },
      ],
    };
    const prompt = { prompt_token_ids: [1, 2] };
    expect(await read({ content: "ab" }, { token_ids: [8, 9], logprobs }, prompt)).toMatchObject({
      tokens: { promptIds: [1, 2], completionIds: [8, 9], completionLogprobs: [-0.5, -1] },
    });
    for (const [more, top] of [
      [{ token_ids: [8], logprobs }, prompt],
      [{ token_ids: [8, 9] }, prompt],
      [{ token_ids: [8, 9], logprobs }, {}],
      [{ token_ids: [8, 9], logprobs: null }, prompt],
    ] as const)
      expect(await read({ content: "ab" }, more, top)).toMatchObject({ tokens: undefined });
  });
});

const failing: Readonly<Record<string, Handler>> = {
  "a rate limit": (response) => send(response, failure("slow down"), { status: 429 }),
  "a rate limit on tokens": (response) =>
    send(response, failure("Too many tokens, please wait"), { status: 429 }),
  "a server error": (response) => send(response, failure("oops"), { status: 500 }),
  "a bad gateway in HTML": (response) =>
    send(response, "<h1>Bad gateway</h1>", {
      status: 502,
      headers: { "content-type": "text/html" },
    }),
  "a request timeout": (response) => send(response, failure("late"), { status: 408 }),
  "broken JSON": (response) => send(response, '{"choices": [{'),
  "an empty body": (response) => send(response, ""),
  "a page of HTML": (response) =>
    send(response, "<h1>Sign in</h1>", { headers: { "content-type": "text/html" } }),
  "no choices": (response) => send(response, { ...completion(), choices: [] }),
  "an error with status 200": (response) => send(response, failure("overloaded")),
  "a dropped connection": (response) => void response.socket?.destroy(),
  "a reset connection": (response) => void response.socket?.resetAndDestroy(),
  "a cut body": (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"choices": [', () => response.destroy());
  },
};

describe.concurrent("retries", () => {
  test.for(Object.entries(failing))("retries after %s", async ([, fail]) => {
    const { result, requests } = await ask(
      (response, time) => (time === 1 ? fail(response, time) : answer(response, time)),
      { retries: 1 },
    );
    expect(result).toMatchObject({ message: { content: "hello" } });
    expect(requests).toHaveLength(2);
    expect(requests[1]?.body).toEqual(requests[0]?.body);
  });

  test.for(Object.entries(failing))(
    "fails the turn after the last retry of %s",
    async ([, fail]) => {
      const { result } = await ask(fail, { retries: 0 });
      expect(result).toMatchObject({
        name: "RolloutError",
        code: "model",
        isFatal: false,
        isOverflow: false,
      });
    },
  );

  test("quotes an error body with status 200", async () => {
    const { result } = await ask(failing["an error with status 200"]!, { retries: 0 });
    expect((result as Error).message).toContain("overloaded");
  });

  test.for([
    ["a bad request", 400, failure("bad"), { isFatal: false }],
    ["an invalid key", 401, failure("unauthorized"), { isFatal: true }],
    ["a forbidden model", 403, failure("no"), { isFatal: true }],
    ["an unknown model", 404, failure("what?"), { isFatal: true }],
    ["a wrong field", 422, failure("no"), { isFatal: false }],
    ["no quota", 429, failure("pay", "insufficient_quota"), { isFatal: true }],
  ] as const)("does not retry after %s", async ([, status, body, expected]) => {
    const { result, requests } = await ask((response) => send(response, body, { status }));
    expect(result).toMatchObject({ code: "model", isOverflow: false, ...expected });
    expect(requests).toHaveLength(1);
  });
});

test.for([
  [400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"],
  [400, "the request exceeds the available context size. try increasing the context size"],
  [400, "prompt is too long: 210000 tokens > 200000 maximum"],
  [400, "The decoder prompt (length 900) is longer than the maximum model length of 512."],
  [400, "context_length_exceeded"],
  [413, "too large"],
] as const)("reports an overflow for %d %s", async ([status, message]) => {
  const { result, requests } = await ask((response) =>
    send(response, failure(message), { status }),
  );
  expect(result).toMatchObject({ code: "model", isOverflow: true, isFatal: false });
  expect(requests).toHaveLength(1);
});

test("reports an unreachable server as fatal, with the remedy", async () => {
  const server = await serve(answer);
  const { baseURL } = server;
  await server[Symbol.asyncDispose]();
  const error = await openai("small", { baseURL })({ messages: hi, signal: never }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({
    isFatal: true,
    message: `Cannot connect to ${baseURL} (ECONNREFUSED). Check that the server is running and that the base URL is correct.`,
  });
});

describe("an abort", () => {
  const reason = new Error("enough");

  test("ends a request that hangs", async () => {
    const controller = new AbortController();
    const { result, requests } = await ask(
      () => controller.abort(reason),
      {},
      { signal: controller.signal },
    );
    expect(result).toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test("ends the delay before a retry", async () => {
    const controller = new AbortController();
    const { result, requests } = await ask(
      (response) => {
        send(response, failure("slow down"), { status: 429, headers: { "retry-after": "600" } });
        setTimeout(() => controller.abort(reason), 20);
      },
      {},
      { signal: controller.signal },
    );
    expect(result).toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test("before the request sends nothing", async () => {
    const { result, requests } = await ask(answer, {}, { signal: AbortSignal.abort(reason) });
    expect(result).toBe(reason);
    expect(requests).toHaveLength(0);
  });
});

test("limits concurrent requests and answers all", async () => {
  let running = 0;
  let most = 0;
  await using server = await serve(async (response, time) => {
    most = Math.max(most, (running += 1));
    await pause(3);
    running -= 1;
    if (time % 4 === 0) send(response, failure("oops"), { status: 500 });
    else void answer(response, time);
  });
  const model = openai("small", { baseURL: server.baseURL, concurrency: 3 });
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, seed) => model({ messages: hi, signal: never, seed })),
  );
  expect(all).toHaveLength(20);
  expect(most).toBe(3);
});

test("opens one connection per concurrent conversation", async () => {
  await using server = await serve(answer);
  const model = openai("small", { baseURL: server.baseURL });
  const converse = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn += 1) await model({ messages: hi, signal: never });
  };
  await Promise.all(Array.from({ length: 5 }, converse));
  expect(server.requests).toHaveLength(40);
  expect(server.connections).toBe(5);
});

test("retries a request that exceeds its timeout", async () => {
  const { result, requests } = await ask(
    (response, time) => (time === 1 ? undefined : answer(response, time)),
    { timeout: 500, retries: 1 },
  );
  expect(result).toMatchObject({ message: { content: "hello" } });
  expect(requests).toHaveLength(2);
});
