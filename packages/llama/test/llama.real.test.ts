import { existsSync } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { assistantMessage, type Message, type ModelRequest, userMessage } from "@envs/core";
import { llama, type LlamaModel } from "@envs/llama";
import { openai } from "@envs/models";
import { chatServer } from "@envs/models/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { loraAdapter } from "./lora-adapter.ts";

const path = process.env["ENVS_MODEL"] ?? "";
const { signal } = new AbortController();
let model: LlamaModel;

beforeAll(async () => {
  expect(existsSync(path), "ENVS_MODEL names a GGUF file").toBe(true);
  model = await llama(path, { sequences: 3, contextSize: 1024, sampling: { maxTokens: 24 } });
});
afterAll(() => model.close());

function ask(text: string, rest: Partial<ModelRequest> = {}) {
  return model({ messages: [userMessage(text)], signal, seed: 7, ...rest });
}

// prose-ignore: sample text
const story = "Tell me a story about a cat and a ship.";
const numbers = "Write the numbers from one to ten in words.";
const long = `${"The sea is wide and the ship is small. ".repeat(30)} What is small?`;

describe("a reply", () => {
  test("has text, usage, and its exact tokens", async () => {
    const { message, finish, usage, tokens } = await ask(story);
    expect(message.content.length).toBeGreaterThan(20);
    expect(finish).toBe("length");
    expect(usage).toEqual({ inputTokens: tokens?.promptIds.length, outputTokens: 24 });
    expect(tokens?.completionIds).toHaveLength(24);
    expect(tokens?.completionLogprobs).toHaveLength(24);
    expect(tokens?.completionLogprobs.every((logprob) => logprob <= 0)).toBe(true);
  });

  test("ends with the model's turn", async () => {
    const sampling = { temperature: 0, maxTokens: 100 };
    const { message, finish, usage } = await ask("What is 2+2?", { sampling });
    expect(finish).toBe("stop");
    expect(message.content).toContain("4");
    expect(message.content).not.toContain("<|im_end|>");
    expect(usage?.outputTokens).toBeLessThan(100);
  });

  test("ends before a stop text", async () => {
    const free = await ask(story, { sampling: { temperature: 0 } });
    const stop = free.message.content.slice(12, 17);
    const { message, finish } = await ask(story, { sampling: { temperature: 0, stop: [stop] } });
    expect(message.content).toBe(free.message.content.slice(0, free.message.content.indexOf(stop)));
    expect(finish).toBe("stop");
  });

  test("may be one token long", async () => {
    const { usage, finish } = await ask(story, { sampling: { maxTokens: 1 } });
    expect([usage?.outputTokens, finish]).toEqual([1, "length"]);
  });
});

describe("the same seed gives the same tokens", () => {
  async function idsOf(text: string, rest: Partial<ModelRequest> = {}) {
    return (await ask(text, rest)).tokens;
  }

  test("and another seed gives different tokens", async () => {
    const first = await idsOf(story);
    expect(await idsOf(story)).toEqual(first);
    expect(await idsOf(story, { seed: 8 })).not.toEqual(first);
  });

  test("with concurrent requests", async () => {
    const texts = [story, numbers, long, story, long, numbers, story];
    const together = await Promise.all(texts.map((text) => idsOf(text)));
    for (const [index, text] of texts.entries()) expect(await idsOf(text)).toEqual(together[index]);
  });

  test("with and without a cached conversation", async () => {
    const messages: Message[] = [userMessage(long)];
    const { message } = await ask("", { messages });
    messages.push(message, userMessage("Are you sure?"));
    const warm = await idsOf("", { messages });
    await using cold = await llama(path, { sequences: 1, contextSize: 1024 });
    const fresh = await cold({ messages, signal, seed: 7, sampling: { maxTokens: 24 } });
    expect(fresh.tokens).toEqual(warm);
  });

  test("for the largest and for negative seeds", async () => {
    const seed = 2 ** 32 - 1;
    expect(await idsOf(story, { seed })).toEqual(await idsOf(story, { seed }));
    expect(await idsOf(story, { seed: -1 })).toEqual(await idsOf(story, { seed: -1 }));
  });
});

test("texts differ without a seed", async () => {
  const texts = await Promise.all(
    [1, 2, 3].map(() => model({ messages: [userMessage(story)], signal })),
  );
  expect(new Set(texts.map(({ message }) => message.content)).size).toBe(3);
});

describe("the context", () => {
  test("rejects a prompt that exceeds it as an overflow", async () => {
    await expect(ask(long.repeat(6))).rejects.toMatchObject({
      name: "RolloutError",
      code: "model",
      isOverflow: true,
      message: expect.stringMatching(/^The prompt has \d+ tokens, and the context length is 1024/),
    });
  });

  test("truncates a reply that fills it", async () => {
    await using small = await llama(path, { sequences: 1, contextSize: 256 });
    const sampling = { maxTokens: 1000, temperature: 0 };
    const { usage, finish } = await small({ messages: [userMessage(numbers)], signal, sampling });
    expect(finish).toBe("length");
    expect((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)).toBe(255);
  });
});

describe("an abort", () => {
  test("rejects with its reason and frees the sequence", async () => {
    const controller = new AbortController();
    const running = Array.from({ length: 6 }, () =>
      ask(story, { signal: controller.signal, sampling: { maxTokens: 500 } }),
    );
    const settled = Promise.allSettled(running);
    await setTimeout(200);
    controller.abort(new Error("Enough."));
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ status: "rejected", reason: { message: "Enough." } });
    expect((await ask(story)).usage?.outputTokens).toBe(24);
  });

  test("through close() rejects running requests", async () => {
    const other = await llama(path, { sequences: 1, contextSize: 512 });
    const running = [1, 2].map(() => other({ messages: [userMessage(story)], signal }));
    const settled = Promise.allSettled(running);
    await other.close();
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "model" } });
  });
});

test("describes tools in the prompt and accepts their results", async () => {
  const tool = { name: "look", description: "Looks.", parameters: { type: "object" } };
  const call = {
    id: "call_0",
    type: "function",
    function: { name: "look", arguments: "{}" },
  } as const;
  const without = await ask("Look.");
  const with_ = await ask("Look.", { tools: [tool] });
  expect(with_.usage?.inputTokens).toBeGreaterThan((without.usage?.inputTokens ?? 0) + 50);
  const messages: Message[] = [
    userMessage("Look."),
    { ...assistantMessage(""), tool_calls: [call] },
    { role: "tool", tool_call_id: "call_0", content: "The sky is green." },
  ];
  expect((await ask("", { messages, tools: [tool] })).message.content.length).toBeGreaterThan(0);
});

test("returns the same reply over HTTP as in process", async () => {
  await using server = await chatServer(model);
  const remote = openai(model.id, { baseURL: server.url, tokens: true, sendSeed: true });
  const request = { messages: [userMessage(story)], signal, seed: 7 };
  const { server: served, ...reply } = await remote(request);
  expect(served).toMatchObject({ model: model.id, status: 200 });
  expect(reply).toEqual(await model(request));
});

test("rejects a truncated file with a ConfigError", async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-llama-"));
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4_000_000));
    const cut = join(folder, "cut.gguf");
    await writeFile(cut, buffer.subarray(0, bytesRead));
    await expect(llama(cut)).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringContaining("The file may be incomplete"),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe("a LoRA adapter", () => {
  const sampling = { temperature: 0, maxTokens: 12 };

  async function replyWith(file: Uint8Array): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "envs-llama-"));
    try {
      const adapter = join(folder, "tuned.gguf");
      await writeFile(adapter, file);
      await using tuned = await llama(path, { adapter, sequences: 1, contextSize: 256 });
      expect(tuned.id).toMatch(/^SmolLM2.*\+tuned$/u);
      const { message } = await tuned({ messages: [userMessage(numbers)], signal, sampling });
      return message.content;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test("changes the replies by its weights", async () => {
    const { message } = await ask(numbers, { sampling });
    expect(await replyWith(loraAdapter("blk.0.attn_output.weight", 576, 0))).toBe(message.content);
    expect(await replyWith(loraAdapter("blk.0.attn_output.weight", 576, 5))).not.toBe(
      message.content,
    );
  });

  test("of another model is rejected", async () => {
    await expect(replyWith(loraAdapter("blk.0.attn_output.weight", 64, 1))).rejects.toThrow(
      "It must be a LoRA adapter of this base model",
    );
  });
});
