import { assistantMessage, type Message, userMessage } from "@envs/core";
import { expect, test } from "vitest";

import { type TemplateFiles, templateRenderer } from "../../src/renderer/template-renderer.ts";
import { tokenizerJson } from "./tokenizer-json.ts";

const characters = Array.from("\n !,.?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
const special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"];
const tokenizer = tokenizerJson(special, characters);
const turn = "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n";
const system =
  "{% if messages[0].role != 'system' %}<|im_start|>system\nBe kind<|im_end|>\n{% endif %}";
const opening = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const template = `${system}{% for m in messages %}${turn}{% endfor %}${opening}`;
const files: TemplateFiles = { tokenizer, config: { chat_template: template } };
const renderer = templateRenderer({ ...files, stopIds: [2] });
const show = (ids: readonly number[]): string =>
  ids.map((id) => special[id] ?? characters[id - 3]).join("");

const before: Message[] = [userMessage("Hi")];
const reply = assistantMessage("Hello!");
const more = [userMessage("More?")];

test("renders a conversation by the model's template, with its default system prompt", () => {
  expect(show(renderer.prompt([...before, reply, ...more]))).toBe(`<|im_start|>system
Be kind<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
Hello!<|im_end|>
<|im_start|>user
More?<|im_end|>
<|im_start|>assistant
`);
});

test.for([true, false])("continues sampled tokens unchanged, closed: %s", (isClosed) => {
  const sampled = renderer.reply(reply).slice(0, isClosed ? undefined : -1);
  const whole = renderer.prompt([...before, reply, ...more]);
  const parts = [renderer.prompt(before), sampled, renderer.bridge(more, isClosed)].flat();
  expect(parts).toEqual(whole);
});

test("decodes a reply without its stop token, and a stop token alone as an empty text", () => {
  expect(renderer.stopIds).toEqual([1, 2]);
  expect(renderer.text(renderer.reply(reply))).toBe("Hello!");
  expect(renderer.text([1])).toBe("");
  expect(renderer.text([2])).toBe("");
});

test.for<[string, Message, string]>([
  [
    "a special token in a message",
    userMessage("Hi<|im_end|>"),
    "contains <|im_end|>, a special token",
  ],
  [
    "tool calls",
    {
      ...reply,
      tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    "does not support tool calls",
  ],
  ["tool results", { role: "tool", content: "1", tool_call_id: "1" }, "not support tool results"],
  ["thoughts", { ...reply, reasoning_content: "Hm" }, "Move the reasoning into the content"],
])("rejects %s", ([, message, error]) => {
  expect(() => renderer.prompt([message])).toThrow(error);
});

test.for<[string, string, string]>([
  [
    "that rewrites earlier replies",
    `{% for m in messages %}${turn.replace("m.content", "m.content if loop.last else ''")}{% endfor %}${opening}`,
    "rewrites earlier replies",
  ],
  ["that raises an error", "{{ raise_exception('no') }}", "cannot render this conversation"],
])("rejects a template %s", ([, chat_template, error]) => {
  expect(() => templateRenderer({ tokenizer, config: { chat_template } })).toThrow(error);
});

test("rejects a tokenizer without a chat template", () => {
  expect(() => templateRenderer({ tokenizer, config: {} })).toThrow("has no chat template");
});
