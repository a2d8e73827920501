import { assistantMessage, type Message } from "@envs/core";
import { servedTools } from "@envs/serve";
import { expect, test } from "vitest";

import { repliesAsToolCalls } from "../../../src/commands/export/replies-as-tool-calls.ts";

const tools = servedTools([{ name: "look-up", description: "", parameters: { type: "object" } }]);
const call = (id: string, name: string, input: object): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
});

test("merges parts with text as parts", () => {
  const picture = { type: "image_url", image_url: { url: "https://example.com/a.png" } } as const;
  const messages = repliesAsToolCalls(
    [assistantMessage("one"), { role: "user", content: [picture] }, { role: "user", content: "b" }],
    tools,
  );
  expect(messages.at(-1)).toMatchObject({ content: [picture, { type: "text", text: "b" }] });
});

test("merges the environment's messages after a reply into the call's result", () => {
  const messages = repliesAsToolCalls(
    [
      assistantMessage("one"),
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      assistantMessage("two"),
    ],
    tools,
  );
  expect(messages).toEqual([
    call("call_0", "respond", { text: "one" }),
    { role: "tool", tool_call_id: "call_0", content: "a\n\nb" },
    call("call_3", "respond", { text: "two" }),
  ]);
});

test("renames calls of the environment's tools to their served names, except unknown tools", () => {
  const result: Message = { role: "tool", tool_call_id: "x", content: "found" };
  const unknown = call("y", "nothing", {});
  const messages = repliesAsToolCalls([call("x", "look-up", { q: 1 }), result, unknown], tools);
  expect(messages).toEqual([call("x", "look_up", { q: 1 }), result, unknown]);
});
