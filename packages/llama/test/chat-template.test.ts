import { assistantMessage, type Message, userMessage } from "@envs/core";
import { describe, expect, test } from "vitest";

import { chatTemplate, mergeMessages } from "../src/chat-template.ts";

const special = { bos: "<s>", eos: "</s>" };
const tool = { name: "look", description: "Looks.", parameters: { type: "object" } };
const call = {
  id: "1",
  type: "function",
  function: { name: "look", arguments: '{"at":1}' },
} as const;

const plain =
  "{{ bos_token }}{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}" +
  "{% if add_generation_prompt %}[assistant]{% endif %}";
const withTools =
  "{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}[{{ message.role }}]{{ message.content }}" +
  "{% if message.tool_calls %}{% for call in message.tool_calls %}{{ call.function.arguments.at }}{% endfor %}{% endif %}" +
  "{% endfor %}";
const strict =
  "{% for message in messages %}{% if message.role == 'system' %}{{ raise_exception('No system message.') }}{% endif %}" +
  "{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Take turns.') }}{% endif %}" +
  "[{{ message.role }}]{{ message.content }}{% endfor %}";

describe("a chat template", () => {
  test("renders the conversation and begins the model's turn", () => {
    const render = chatTemplate(plain, special);
    expect(render([{ role: "system", content: "Be brief." }, userMessage("Hello")])).toBe(
      "<s>[system]Be brief.[user]Hello[assistant]",
    );
  });

  test("with tool support receives the tools, and the arguments of calls as objects", () => {
    const render = chatTemplate(withTools, special);
    const text = render(
      [userMessage("Look."), { ...assistantMessage(""), tool_calls: [call] }],
      [tool],
    );
    expect(text).toContain('"name": "look"');
    expect(text).toContain("[user]Look.[assistant]1");
    expect(text).not.toContain("<tool_call>");
  });

  test("without tool support has the tools in the system message", () => {
    const render = chatTemplate(plain, special);
    const text = render(
      [
        { role: "system", content: "Be brief." },
        userMessage("Look."),
        { ...assistantMessage("I look."), tool_calls: [call] },
        { role: "tool", tool_call_id: "1", content: "Sky." },
      ],
      [tool],
    );
    expect(text).toContain(
      `[system]Be brief.\n\nYou have tools. Here they are as JSON, one on each line:\n<tools>\n${JSON.stringify(tool)}\n</tools>`,
    );
    expect(text).toContain(
      '[assistant]I look.\n<tool_call>\n{"name": "look", "arguments": {"at":1}}\n</tool_call>' +
        "[user]<tool_response>\nSky.\n</tool_response>[assistant]",
    );
  });

  test("that rejects system or consecutive user messages receives merged messages", () => {
    const render = chatTemplate(strict, special);
    const text = render([
      { role: "system", content: "Be brief." },
      userMessage("One."),
      userMessage("Two."),
    ]);
    expect(text).toBe("[user]Be brief.\n\nOne.\n\nTwo.");
  });

  test("that rejects merged messages throws its reason", () => {
    const render = chatTemplate(strict, special);
    expect(() => render([assistantMessage("I begin.")])).toThrow(
      "The model's chat template rejects this conversation: Take turns.",
    );
  });

  test("is ChatML for a file without a template", () => {
    const render = chatTemplate(undefined, special);
    expect(render([userMessage("Hello")])).toBe(
      "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n",
    );
  });
});

test("mergeMessages() keeps every text in order", () => {
  const messages: Message[] = [
    { role: "system", content: "a" },
    userMessage("b"),
    assistantMessage("c"),
    { role: "tool", tool_call_id: "1", content: "d" },
    userMessage("e"),
    { role: "system", content: "f" },
  ];
  expect(mergeMessages(messages)).toEqual([
    userMessage("a\n\nb"),
    assistantMessage("c"),
    { role: "tool", tool_call_id: "1", content: "d" },
    userMessage("e\n\nf"),
  ]);
});
