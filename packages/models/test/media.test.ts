import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3 } from "@ai-sdk/provider";
import {
  assistantMessage,
  audioPart,
  filePart,
  imagePart,
  type Message,
  type ModelRequest,
  userMessage,
} from "@envs/core";
import { describeContent } from "@envs/core/engine";
import { aiSdk, openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";

import { jpeg, pdf, png, wav } from "../../core/test/media-bytes.ts";
import { mediaInUserMessages } from "../src/wire/tool-media.ts";

const never = new AbortController().signal;
const cat = imagePart("https://example.com/cat.png");
const question = { type: "text", text: "Which is red?" } as const;

function look(...ids: readonly string[]): Message {
  const called = { name: "look", arguments: "{}" };
  return {
    ...assistantMessage(""),
    tool_calls: ids.map((id) => ({ id, type: "function", function: called }) as const),
  };
}

const conversation: readonly Message[] = [
  userMessage("Look twice."),
  look("a", "b"),
  { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "First:" }, imagePart(png)] },
  { role: "tool", tool_call_id: "b", content: [imagePart(jpeg)] },
  look("c"),
  { role: "tool", tool_call_id: "c", content: "nothing" },
];

/** Messages that servers accept, with only text in tool messages. */
const accepted: readonly Message[] = [
  userMessage("Look twice."),
  look("a", "b"),
  { role: "tool", tool_call_id: "a", content: "First:\n[image 1: in the next message]" },
  { role: "tool", tool_call_id: "b", content: "[image 2: in the next message]" },
  userMessage([
    { type: "text", text: "[image 1]" },
    imagePart(png),
    { type: "text", text: "[image 2]" },
    imagePart(jpeg),
  ]),
  look("c"),
  { role: "tool", tool_call_id: "c", content: "nothing" },
];

test("images of tool results move to a user message after the results of their turn", () => {
  expect(mediaInUserMessages(conversation)).toEqual(accepted);
  const text = conversation.slice(0, 2);
  expect(mediaInUserMessages(text)).toBe(text);
});

/** Serves a model, and records the messages that it receives. */
async function recording() {
  const requests: ModelRequest[] = [];
  const server = await modelServer({
    name: "seer",
    answer: (request) => {
      requests.push(request);
      return "The second.";
    },
  });
  return { server, requests };
}

describe("openai()", () => {
  test("sends images, audio and files as they are", async () => {
    const { server, requests } = await recording();
    await using _ = server;
    const messages = [
      userMessage([question, imagePart(png), cat, audioPart(wav), filePart("a.pdf", pdf)]),
    ];
    const response = await openai("seer", { baseURL: server.url })({ messages, signal: never });
    expect(response.message.content).toBe("The second.");
    expect(requests[0]!.messages).toEqual(messages);
  });

  test("sends images of tool results in a user message", async () => {
    const { server, requests } = await recording();
    await using _ = server;
    await openai("seer", { baseURL: server.url })({ messages: conversation, signal: never });
    expect(requests[0]!.messages).toEqual(accepted);
  });
});

test("OpenAI's own client can send an image to the chat server", async () => {
  const { server, requests } = await recording();
  await using _ = server;
  const client = new OpenAI({ baseURL: server.url, apiKey: "none" });
  const { url } = imagePart(png).image_url;
  const completion = await client.chat.completions.create({
    model: "seer",
    messages: [{ role: "user", content: [question, { type: "image_url", image_url: { url } }] }],
  });
  expect(completion.choices[0]!.message.content).toBe("The second.");
  expect(describeContent(requests[0]!.messages[0]!.content)).toBe(
    "Which is red?\n[image: image/png, 12 bytes]",
  );
});

describe("aiSdk()", () => {
  test("sends images to a provider of the SDK, those of tool results in a user message", async () => {
    const { server, requests } = await recording();
    await using _ = server;
    const provider = createOpenAICompatible({ name: "local", baseURL: server.url });
    const model = aiSdk(provider.chatModel("seer"));
    await model({ messages: [userMessage([question, imagePart(png), cat])], signal: never });
    expect(requests[0]!.messages).toEqual([userMessage([question, imagePart(png), cat])]);
    await model({ messages: conversation, signal: never });
    expect(requests[1]!.messages).toEqual(accepted);
  });

  test("passes files and audio in the form of version 3", async () => {
    const received: unknown[] = [];
    const model: LanguageModelV3 = {
      specificationVersion: "v3",
      provider: "hand",
      modelId: "made",
      supportedUrls: {},
      doGenerate: async ({ prompt }) => {
        received.push(...prompt);
        return {
          content: [{ type: "text", text: "ok" }],
          finishReason: { unified: "stop", raw: "stop" },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          warnings: [],
        };
      },
      doStream: () => Promise.reject(new Error("must not be called")),
    };
    const messages = [userMessage([cat, audioPart(wav), filePart("a.pdf", pdf)])];
    await aiSdk(model)({ messages, signal: never });
    const data = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
    expect(received).toEqual([
      {
        role: "user",
        content: [
          { type: "file", data: new URL(cat.image_url.url), mediaType: "image/*" },
          { type: "file", data: data(wav), mediaType: "audio/wav" },
          { type: "file", data: data(pdf), mediaType: "application/pdf", filename: "a.pdf" },
        ],
      },
    ]);
  });
});
