import { assistantMessage, callTools } from "@envs/core";
import { describe, expect, test } from "vitest";

import { cases } from "./support/clients.ts";
import { testSession } from "./support/session.ts";

const hello = { steps: [{ user: "Hello" }] };
const weather = [{ name: "weather", description: "Report the weather of a city." }];
const png = Buffer.from("\u{89}PNG\r\n\u{1A}\n....", "latin1").toString("base64");

describe.each(cases)("$name", ({ client, stream }) => {
  test("receives text, the reason for its end and the usage", async () => {
    await using gateway = await testSession([
      {
        message: assistantMessage("Hello, you.\nHow are you?"),
        finish: "stop",
        usage: { inputTokens: 50, outputTokens: 7, cacheReadTokens: 40 },
      },
    ]);
    const answer = await client.ask(gateway.session, hello, { stream });
    expect(answer).toMatchObject({
      text: "Hello, you.\nHow are you?",
      reasoning: "",
      calls: [],
      end: client.ends.stop,
      inputTokens: 50,
      outputTokens: 7,
      cachedTokens: 40,
    });
  });

  test("sends a system prompt and a conversation with tools", async () => {
    await using gateway = await testSession(["It rains in Rome."]);
    const calls = ["Paris", "Rome"].map((city, index) => ({
      id: `call_${index}`,
      name: "weather",
      input: { city },
    }));
    const steps = [
      { user: "Weather in Paris and Rome?" },
      { reply: "I look.", reasoning: "Two cities.", calls },
      { result: "Sun", of: calls[0]! },
      { result: "Rain", of: calls[1]! },
    ];
    await client.ask(gateway.session, { system: "Be brief.", steps, tools: weather }, { stream });
    expect(gateway.requests[0]).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather in Paris and Rome?" },
        {
          role: "assistant",
          content: "I look.",
          reasoning_content: "Two cities.",
          tool_calls: [
            { id: "call_0", function: { name: "weather", arguments: '{"city":"Paris"}' } },
            { id: "call_1", function: { name: "weather", arguments: '{"city":"Rome"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_0", content: "Sun" },
        { role: "tool", tool_call_id: "call_1", content: "Rain" },
      ],
      tools: [
        {
          name: "weather",
          description: "Report the weather of a city.",
          parameters: { properties: { city: { type: "string" } }, required: ["city"] },
        },
      ],
    });
  });

  test("receives parallel tool calls with their arguments", async () => {
    const message = callTools([
      ["weather", { city: "Paris" }],
      ["weather", { city: "Zürich" }],
    ]);
    await using gateway = await testSession([{ ...message, content: "I look." }]);
    const answer = await client.ask(gateway.session, { ...hello, tools: weather }, { stream });
    expect(answer).toMatchObject({
      text: "I look.",
      end: client.ends.tools,
      calls: [
        { id: "call_0_0", name: "weather", input: { city: "Paris" } },
        { id: "call_0_1", name: "weather", input: { city: "Zürich" } },
      ],
    });
  });

  test("receives the thoughts apart from the text", async () => {
    await using gateway = await testSession([
      { ...assistantMessage("42"), reasoning_content: "Let me think. Six by seven." },
    ]);
    const answer = await client.ask(gateway.session, hello, { stream });
    expect(answer).toMatchObject({ text: "42", reasoning: "Let me think. Six by seven." });
  });

  test("sends images", async () => {
    await using gateway = await testSession(["A cat."]);
    const steps = [{ user: "What is it?", image: png }];
    await client.ask(gateway.session, { steps }, { stream });
    expect(gateway.requests[0]?.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          {
            type: "image_url",
            image_url: expect.objectContaining({ url: `data:image/png;base64,${png}` }),
          },
        ],
      },
    ]);
  });

  test("asks for a JSON Schema and for a tool", async () => {
    await using gateway = await testSession(['{"city":"Rome"}']);
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const question = { ...hello, tools: weather, mustCall: "weather", schema };
    const answer = await client.ask(gateway.session, question, { stream });
    expect(JSON.parse(answer.text)).toEqual({ city: "Rome" });
    expect(gateway.requests[0]).toMatchObject({
      toolChoice: { name: "weather" },
      format: { type: "schema", name: "reply", schema },
    });
  });

  test("samples as the session says, and else as the agent asks", async () => {
    await using gateway = await testSession(["Hi."], { sampling: { temperature: 0.25 } });
    const question = { ...hello, temperature: 1, stop: ["END"], maxTokens: 33 };
    await client.ask(gateway.session, question, { stream });
    expect(gateway.requests[0]?.sampling).toMatchObject({
      temperature: 0.25,
      maxTokens: 33,
      ...(client.hasStop ? { stop: ["END"] } : {}),
    });
  });

  test("receives the information that a reply was cut", async () => {
    await using gateway = await testSession([
      { message: assistantMessage("Once upon"), finish: "length" },
    ]);
    const answer = await client.ask(gateway.session, hello, { stream });
    expect(answer).toMatchObject({ text: "Once upon", end: client.ends.length });
  });

  test("receives the text of arguments that are not JSON", async () => {
    if (client.name.startsWith("openai")) return;
    await using gateway = await testSession([callTools([["weather", '{"city": "Par']])]);
    const answer = await client.ask(gateway.session, { ...hello, tools: weather }, { stream });
    expect(answer.calls).toMatchObject([{ input: { INVALID_JSON: '{"city": "Par' } }]);
  });

  test("has each call recorded before it receives the reply", async () => {
    const events: string[] = [];
    await using gateway = await testSession(["Hi."], {
      onCall: async (call) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        events.push(`recorded ${call.message.content}`);
      },
    });
    const answer = await client.ask(gateway.session, hello, { stream });
    events.push(`received ${answer.text}`);
    expect(events).toEqual(["recorded Hi.", "received Hi."]);
    expect(gateway.session.calls).toMatchObject([
      { requestedModel: "any", messages: [{ role: "user", content: "Hello" }], finish: "stop" },
    ]);
  });
});
