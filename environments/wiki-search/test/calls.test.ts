import { type AssistantMessage, assistantMessage } from "@envs/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { countRepeats, parseCalls, visitedIds, writeCall } from "../src/calls.ts";

function call(name: string, text: string): AssistantMessage {
  return {
    ...assistantMessage(""),
    tool_calls: [{ id: "1", type: "function", function: { name, arguments: text } }],
  };
}

test("countRepeats() ignores the order of arguments", () => {
  const calls = parseCalls([
    call("read", '{"id":"lyon","section":"population"}'),
    call("read", '{ "section": "population", "id": "lyon" }'),
    call("read", '{"id":"lyon","section":"geography"}'),
    call("open", '{"id":"lyon"}'),
  ]);
  expect(calls).toHaveLength(4);
  expect(countRepeats(calls)).toBe(1);
});

test("visitedIds() lists the articles that were opened or read", () => {
  const calls = parseCalls([
    call("search", '{"query":"Lyon"}'),
    call("open", '{"id":"lyon"}'),
    assistantMessage("So …"),
    call("open", "{"),
  ]);
  expect([...visitedIds(calls)]).toEqual(["lyon", undefined]);
});

test("parseCalls() inverts writeCall()", () => {
  const made = parseCalls([writeCall({ name: "search", arguments: { query: 'a "b"' } }, 3)]);
  expect(made).toMatchObject([{ name: "search", arguments: { query: 'a "b"' } }]);
});

test("parseCalls() accepts any arguments, and equal texts are equal calls", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const calls = parseCalls([call("open", text), call("open", text)]);
      expect(countRepeats(calls)).toBe(1);
    }),
  );
});

test("countRepeats() compares very deep arguments by their text", () => {
  const deep = `{"query":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const calls = parseCalls([
    call("search", deep),
    call("search", deep),
    call("search", `${deep} `),
  ]);
  expect(countRepeats(calls)).toBe(1);
});
