import { assistantMessage, type Message, userMessage } from "@envs/core";
import fc from "fast-check";
import { expect, test } from "vitest";

import { chatRenderer } from "../../src/tokenizer/chat-renderer.ts";
import { trainTokenizer } from "../../src/tokenizer/train-tokenizer.ts";
import { gameTexts } from "./games.ts";

const games = gameTexts(40);
const tokenizer = trainTokenizer(games, { vocabularySize: 128 });
const renderer = chatRenderer(tokenizer);

const content = fc.oneof(fc.string(), fc.constantFrom(...games, "<|end|>", "<|assistant|>"));
const replies = content.map((text): Message & { role: "assistant" } => ({
  role: "assistant",
  content: text,
}));
const message: fc.Arbitrary<Message> = fc.oneof(
  content.map((text): Message => ({ role: "system", content: text })),
  content.map((text): Message => userMessage(text)),
  content.map((text): Message => ({ role: "tool", tool_call_id: "1", content: text })),
  replies,
);
const conversation = fc.array(message, { maxLength: 5 });

test("a conversation is rendered as role tokens and texts", () => {
  const messages: Message[] = [
    { role: "system", content: "You play X." },
    userMessage("Your turn."),
    assistantMessage("<move>4</move>"),
    { role: "tool", tool_call_id: "1", content: "ok" },
  ];
  expect(tokenizer.decode(renderer.prompt(messages))).toBe(
    "<|system|>You play X.<|user|>Your turn.<|assistant|><move>4</move><|end|><|tool|>ok<|assistant|>",
  );
  expect(renderer.prompt([])).toEqual([tokenizer.roleIds["<|assistant|>"]]);
});

test("prompt, reply and bridge concatenate to the longer prompt", () => {
  fc.assert(
    fc.property(conversation, replies, conversation, (before, reply, after) => {
      const whole = renderer.prompt([...before, reply, ...after]);
      const sampled = renderer.reply(reply);
      expect([...renderer.prompt(before), ...sampled, ...renderer.bridge(after, true)]).toEqual(
        whole,
      );
      const cut = sampled.slice(0, -1);
      expect([...renderer.prompt(before), ...cut, ...renderer.bridge(after, false)]).toEqual(whole);
    }),
  );
});

test("a reply ends with its only stop token, and decodes to its content", () => {
  fc.assert(
    fc.property(replies, (reply) => {
      const ids = renderer.reply(reply);
      expect(renderer.stopIds).toEqual([ids.at(-1)]);
      expect(ids.filter((id) => renderer.stopIds.includes(id))).toHaveLength(1);
      expect(renderer.text(ids)).toBe(reply.content);
      expect(renderer.text(ids.slice(0, -1))).toBe(reply.content);
    }),
  );
});

test("tool calls and reasoning are rejected unless they are empty", () => {
  const call = { id: "1", type: "function", function: { name: "open", arguments: "{}" } } as const;
  const withCalls: Message = { role: "assistant", content: "", tool_calls: [call] };
  const withReasoning: Message = { role: "assistant", content: "4", reasoning_content: "Hm." };
  expect(() => renderer.prompt([withCalls])).toThrowErrorMatchingInlineSnapshot(
    `[ConfigError: A reply has tool calls, which the tiny model's chat template cannot render. Train on an environment without tools, or leave out these conversations.]`,
  );
  expect(() => renderer.bridge([withReasoning], true)).toThrowErrorMatchingInlineSnapshot(
    `[ConfigError: A reply has reasoning_content, which the tiny model's chat template cannot render. Move the reasoning into the content, or leave out these conversations.]`,
  );
  expect(
    renderer.reply({ role: "assistant", content: "4", tool_calls: [], reasoning_content: "" }),
  ).toEqual(renderer.reply(assistantMessage("4")));
});
