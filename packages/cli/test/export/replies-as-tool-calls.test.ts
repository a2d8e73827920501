import { assistant, type Message } from "@envs/core";
import { servedTools } from "@envs/serve";
import { expect, test } from "vitest";

import { spokenAsCalls } from "../../src/export/replies-as-tool-calls.ts";

const tools = servedTools([{ name: "look-up", description: "", parameters: { type: "object" } }]);
const call = (id: string, name: string, input: object): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
});

test("what the environment answers to a reply is the result of the call, all of it", () => {
  const told = spokenAsCalls(
    [
      assistant("one"),
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      assistant("two"),
    ],
    tools,
  );
  expect(told).toEqual([
    call("call_0", "respond", { text: "one" }),
    { role: "tool", tool_call_id: "call_0", content: "a\n\nb" },
    call("call_3", "respond", { text: "two" }),
  ]);
});

test("calls of the environment's own tools go under the names that trainers have", () => {
  const result: Message = { role: "tool", tool_call_id: "x", content: "found" };
  const unknown = call("y", "nothing", {});
  const told = spokenAsCalls([call("x", "look-up", { q: 1 }), result, unknown], tools);
  expect(told).toEqual([call("x", "look_up", { q: 1 }), result, unknown]);
});
