import { type AssistantMessage, assistant } from "@envs/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { madeCalls, repeats, visited, writeCall } from "../src/calls.ts";

function call(name: string, text: string): AssistantMessage {
  return {
    ...assistant(""),
    tool_calls: [{ id: "1", type: "function", function: { name, arguments: text } }],
  };
}

test("the same question in another order of arguments is a repeat", () => {
  const calls = madeCalls([
    call("read", '{"id":"lyon","section":"population"}'),
    call("read", '{ "section": "population", "id": "lyon" }'),
    call("read", '{"id":"lyon","section":"geography"}'),
    call("open", '{"id":"lyon"}'),
  ]);
  expect(calls).toHaveLength(4);
  expect(repeats(calls)).toBe(1);
});

test("only articles that were opened or read count as visited", () => {
  const calls = madeCalls([
    call("search", '{"query":"Lyon"}'),
    call("open", '{"id":"lyon"}'),
    assistant("So …"),
    call("open", "{"),
  ]);
  expect([...visited(calls)]).toEqual(["lyon", undefined]);
});

test("a call that is written is read back", () => {
  const made = madeCalls([writeCall({ name: "search", arguments: { query: 'a "b"' } }, 3)]);
  expect(made).toMatchObject([{ name: "search", arguments: { query: 'a "b"' } }]);
});

test("no arguments make it throw, and equal texts are equal calls", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const calls = madeCalls([call("open", text), call("open", text)]);
      expect(repeats(calls)).toBe(1);
    }),
  );
});

test("arguments nested deeper than JSON can be written are compared by their text", () => {
  const deep = `{"query":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const calls = madeCalls([call("search", deep), call("search", deep), call("search", `${deep} `)]);
  expect(repeats(calls)).toBe(1);
});
