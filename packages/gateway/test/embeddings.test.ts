import { defineEnvironment, evaluate, type Model } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agent, gemini, startGateway } from "@envs/gateway";
import { openai } from "@envs/models";
import { toRow } from "@envs/records";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";

import { upstream } from "./support/upstream.ts";

const name = "text-embedding-3-small";
const texts = ["Rome", "Paris"];

/** A server whose embeddings are the lengths of the texts, with a field that the gateway does not know. */
async function embedder({ countsTokens = true } = {}) {
  const usage = countsTokens ? { prompt_tokens: 7, total_tokens: 7 } : undefined;
  const server = await upstream((response, { input, encoding_format: format }) => {
    const data = (input as readonly string[]).map((text, index) => {
      const vector = Float32Array.of(text.length, 1);
      const base64 = Buffer.from(vector.buffer).toString("base64");
      return { object: "embedding", index, embedding: format === "base64" ? base64 : [...vector] };
    });
    response.end(JSON.stringify({ object: "list", data, model: `${name}-2026`, usage, more: 1 }));
  });
  return { ...server, model: openai(name, { baseURL: `${server.origin}/v1` }) };
}

async function post(url: string, body: object) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  const { error } = (await response.json()) as {
    readonly error: { readonly message: string } & Readonly<Record<string, unknown>>;
  };
  return { status: response.status, error };
}

test("relays embeddings to a helper's server, and records them with their usage", async () => {
  const { model: helper, bodies, requests } = await embedder();
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const session = gateway.open({ model: scriptedModel("red"), helpers: { [name]: helper } });
  const { embeddings } = new OpenAI({ baseURL: session.baseURL, apiKey: session.apiKey });
  const { data, usage } = await embeddings.create({ model: name, input: texts, dimensions: 2 });
  expect(data.map(({ embedding }) => [...embedding])).toEqual([
    [4, 1],
    [5, 1],
  ]);
  expect(usage.prompt_tokens).toBe(7);
  expect(requests[0]!.url).toBe("/v1/embeddings");
  expect(bodies).toEqual([{ model: name, input: texts, dimensions: 2, encoding_format: "base64" }]);
  const plain = await embeddings.create({ model: name, input: texts, encoding_format: "float" });
  expect(plain).toMatchObject({ more: 1 });
  expect(session.calls[1]).toMatchObject({
    dialect: "embeddings",
    requestedModel: name,
    isHelper: true,
    messages: texts.map((content) => ({ role: "user", content })),
    message: { content: "[[4,1],[5,1]]" },
    usage: { inputTokens: 7, outputTokens: 0 },
    server: { status: 200, model: `${name}-2026` },
  });
});

test("estimates the tokens of texts whose server counts none", async () => {
  const { model: helper } = await embedder({ countsTokens: false });
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const { baseURL, calls } = gateway.open({ model: helper, helpers: { [name]: helper } });
  await post(`${baseURL}/embeddings`, { model: name, input: ["a text of 20 letters"] });
  expect(calls[0]!.usage).toEqual({ inputTokens: 5, outputTokens: 0, isEstimated: true });
});

test("counts embeddings in the limits and the usage of an agent, whose reply they are not", async () => {
  const { model: helper } = await embedder();
  const question = defineEnvironment({
    name: "question",
    dataset: () => [{ prompt: "Name a colour." }],
    rubric: { red: ({ completion }) => completion[0]?.content === "red" },
  });
  const player = agent(
    async ({ baseURL, apiKey, model }) => {
      const client = new OpenAI({ baseURL, apiKey });
      const messages = [{ role: "user" as const, content: "Which?" }];
      await client.chat.completions.create({ model, messages });
      for (;;) await client.embeddings.create({ model: name, input: texts });
    },
    { model: scriptedModel("red"), helpers: { [name]: helper }, maxCalls: 3 },
  );
  const { rollouts, subModelUsage } = await evaluate(question(), {
    model: player,
    rolloutsPerExample: 1,
  });
  expect(subModelUsage).toMatchObject({ [name]: { calls: 2, inputTokens: 14, outputTokens: 0 } });
  expect(rollouts[0]).toMatchObject({ reward: 1, isTruncated: true });
  expect(toRow(rollouts[0]!).trajectory?.[0]?.calls).toMatchObject([
    { dialect: "chat" },
    { dialect: "embeddings", is_helper: true },
    { dialect: "embeddings", is_helper: true },
  ]);
});

test("refuses embeddings of the model that plays, and of other servers, before any call", async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const alone = gateway.open({ model: openai("big", { apiKey: "key" }) });
  const other = gateway.open({
    model: openai("big", { apiKey: "key" }),
    helpers: { [name]: gemini("gemini-embedding-001", { apiKey: "key" }) },
  });
  for (const { baseURL, calls } of [alone, other]) {
    const { status, error } = await post(`${baseURL}/embeddings`, { model: name, input: "a" });
    expect(status).toBe(400);
    expect(error).toMatchObject({ type: "invalid_request_error", param: "model" });
    expect(error.message).toContain(`-m agent:<file>@<model>,${name}=<embedding model>`);
    expect(calls).toEqual([]);
  }
});

test("writes the embeddings of a function, and names a model that replied with text", async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const vectors: Model = scriptedModel("[[1,0]]");
  const session = gateway.open({
    model: vectors,
    helpers: { vectors, words: scriptedModel("A city.") },
  });
  const { embeddings } = new OpenAI({ baseURL: session.baseURL, apiKey: session.apiKey });
  const { data } = await embeddings.create({
    model: "vectors",
    input: [[1, 2]],
    encoding_format: "float",
  });
  expect(data[0]!.embedding).toEqual([1, 0]);
  const { status, error } = await post(`${session.baseURL}/embeddings`, {
    model: "words",
    input: "Rome",
  });
  expect(status).toBe(400);
  expect(error.message).toContain("The model words replied with text instead of embeddings.");
});

const chat = { model: "any", messages: [{ role: "user", content: "Hello" }] };
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];

test.each([
  [
    "several choices of chat completions",
    "v1/chat/completions",
    { ...chat, n: 2 },
    400,
    { type: "invalid_request_error", param: "n" },
    "send one request for each choice",
  ],
  [
    "several candidates of Gemini",
    "v1beta/models/any:generateContent",
    { contents, generationConfig: { candidateCount: 2 } },
    400,
    { status: "INVALID_ARGUMENT" },
    "send one request for each candidate",
  ],
  [
    "legacy completions",
    "v1/completions",
    { model: "any", prompt: "Hello", n: 2 },
    404,
    { type: "invalid_request_error" },
    "does not serve /completions. Use /v1/chat/completions",
  ],
  [
    "batches of Anthropic",
    "v1/messages/batches",
    { requests: [] },
    404,
    { type: "not_found_error" },
    "does not serve /messages/batches. Use",
  ],
  [
    "embeddings of Gemini",
    "v1beta/models/any:embedContent",
    { content: contents[0] },
    404,
    { status: "NOT_FOUND" },
    "does not serve /models/any:embedContent. Use",
  ],
])("refuses %s in the form of the dialect, and names the alternative", async (...row) => {
  const [, path, body, status, fields, text] = row;
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const { origin, calls } = gateway.open({ model: scriptedModel("Hi.") });
  const reply = await post(`${origin}/${path}`, body);
  expect(reply).toMatchObject({ status, error: fields });
  expect(reply.error.message).toContain(text);
  expect(calls).toEqual([]);
});
