import { callTools, type Model, RolloutError } from "@envs/core";
import type { ScriptedReply } from "@envs/core/testing";
import {
  type DialectName,
  gemini,
  type GatewaySession,
  messages,
  responses,
  startGateway,
} from "@envs/gateway";
import { openai, type ServerOptions } from "@envs/models";
import { describe, expect, onTestFinished, test } from "vitest";

import { cases, clients } from "./support/clients.ts";
import { testSession } from "./support/session.ts";

/** Models of each dialect, on a gateway as their server. */
const models: Readonly<
  Record<DialectName, (server: GatewaySession, options?: ServerOptions) => Model>
> = {
  chat: (server, options) => openai("real", { ...server, ...options }),
  responses: (server, options) => responses("real", { ...server, ...options }),
  messages: (server, options) => messages("real", { ...settings(server), ...options }),
  gemini: (server, options) => gemini("real", { ...settings(server), ...options }),
};

const settings = ({ origin: baseURL, apiKey }: GatewaySession): ServerOptions => ({
  baseURL,
  apiKey,
});

const names = Object.keys(models) as DialectName[];
/** A client's gateway whose model is on another gateway, which is the server of a provider. */
async function chain(
  dialect: DialectName,
  replies: readonly ScriptedReply[],
  options: ServerOptions = {},
) {
  const server = await testSession(replies);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const model = models[dialect](server.session, { retries: 0, ...options });
  const session = gateway.open({ model, sampling: { temperature: 0.5 } });
  return { server, session };
}

const weather = [{ name: "weather", description: "Report the weather of a city." }];
const calls = ["Paris", "Rome"].map((city, index) => ({
  id: `call_${index}`,
  name: "weather",
  input: { city },
}));
const question = {
  system: "Be brief.",
  tools: weather,
  maxTokens: 77,
  steps: [
    { user: "Weather in Paris and Rome?" },
    { reply: "I look.", reasoning: "Two cities.", calls },
    { result: "Sun", of: calls[0]! },
    { result: "Rain", of: calls[1]! },
  ],
};
const usage = { inputTokens: 50, outputTokens: 7, cacheReadTokens: 40 };

describe.each(names)("a model on a server of %s", (dialect) => {
  test.each(cases)("answers $name", async ({ client, stream }) => {
    const reply = {
      ...callTools([["weather", { city: "Zürich" }]]),
      content: "And in Zürich?",
      reasoning_content: "One is missing.",
    };
    const { server, session } = await chain(
      dialect,
      [{ message: reply, finish: "tool_calls", usage }],
      { keepReasoning: true },
    );
    const answer = await client.ask(session, question, { stream });
    expect(answer).toEqual({
      text: "And in Zürich?",
      reasoning: "One is missing.",
      calls: [{ id: "call_0_0", name: "weather", input: { city: "Zürich" } }],
      end: client.ends.tools,
      inputTokens: 50,
      outputTokens: 7,
      cachedTokens: 40,
    });
    expect(server.requests).toMatchObject([
      {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Weather in Paris and Rome?" },
          {
            role: "assistant",
            content: "I look.",
            reasoning_content: "Two cities.",
            tool_calls: [{ id: "call_0" }, { id: "call_1" }],
          },
          { role: "tool", tool_call_id: "call_0", content: "Sun" },
          { role: "tool", tool_call_id: "call_1", content: "Rain" },
        ],
        tools: weather,
        sampling: { temperature: 0.5, maxTokens: 77 },
      },
    ]);
    expect(server.session.calls).toMatchObject([{ dialect, requestedModel: "real" }]);
    expect(session.calls).toMatchObject([{ message: reply, finish: "tool_calls", usage }]);
  });

  test.each(cases)("passes an error on to $name", async ({ client, stream }) => {
    const { session } = await chain(dialect, [
      new RolloutError("model", "The disk is full.", { isFatal: true }),
    ]);
    await expect(client.ask(session, question, { stream })).rejects.toThrow(
      /rejected the request: 400 The disk is full\./,
    );
    expect(session.failure).toMatchObject({ code: "model" });
  });

  test("distinguishes an exceeded context", async () => {
    const { session } = await chain(dialect, [
      new RolloutError("model", "Context length exceeded.", { isOverflow: true }),
    ]);
    const [client] = clients;
    await expect(client!.ask(session, question, { stream: false })).rejects.toThrow(/exceed/i);
    expect(session.failure).toMatchObject({ isOverflow: true });
  });

  test("retries what the server fails once", async () => {
    const { session, server } = await chain(
      dialect,
      [new RolloutError("model", "Busy."), "Hello."],
      { retries: 1 },
    );
    const [client] = clients;
    const answer = await client!.ask(session, { steps: [{ user: "Hi" }] }, { stream: true });
    expect(answer.text).toBe("Hello.");
    expect(server.requests).toHaveLength(2);
  });
});
