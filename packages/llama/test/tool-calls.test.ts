import { textOf, type ToolCall } from "@envs/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readToolCalls, toPlainText } from "../src/tool-calls.ts";

function call(index: number, name: string, input: unknown): ToolCall {
  const json = JSON.stringify(input);
  return { id: `call_${index}`, type: "function", function: { name, arguments: json } };
}

describe("readToolCalls() reads calls", () => {
  test("in tags, between other text", () => {
    const text =
      'Let me see. <tool_call>\n{"name": "look", "arguments": {"at": "sky"}}\n</tool_call>\n' +
      '<tool_call>{"name": "wait", "arguments": {}}</tool_call> Done.';
    expect(readToolCalls(text, 3)).toEqual({
      role: "assistant",
      content: "Let me see. \n Done.",
      tool_calls: [call(3, "look", { at: "sky" }), call(4, "wait", {})],
    });
  });

  test("in a tag that is not closed", () => {
    expect(readToolCalls('<tool_call>{"name":"look","arguments":{}}', 0).tool_calls).toEqual([
      call(0, "look", {}),
    ]);
  });

  test("in a reply that is one call", () => {
    const text = ' {"name": "look", "parameters": {"at": "sky"}}\n';
    expect(readToolCalls(text, 0)).toEqual({
      role: "assistant",
      content: "",
      tool_calls: [call(0, "look", { at: "sky" })],
    });
  });

  test("with arguments as text", () => {
    const { tool_calls: calls } = readToolCalls(
      '<tool_call>{"name":"look","arguments":"{\\"at\\":1}"}</tool_call>',
      0,
    );
    expect(calls).toEqual([call(0, "look", { at: 1 })]);
  });

  test("that toPlainText() writes, with any arguments", () => {
    const name = fc.string({ minLength: 1 });
    const input = fc.dictionary(fc.string(), fc.jsonValue());
    const noTag = fc
      .tuple(name, input)
      .filter((pair) => !JSON.stringify(pair).includes("tool_call"));
    fc.assert(
      fc.property(fc.array(noTag, { minLength: 1, maxLength: 4 }), (pairs) => {
        const calls = pairs.map(([name, value], index) => call(index, name, value));
        const [written] = toPlainText([{ role: "assistant", content: "", tool_calls: calls }], []);
        expect(readToolCalls(textOf(written?.content ?? ""), 0).tool_calls).toEqual(
          calls.map(({ function: { name, arguments: json }, ...rest }) => ({
            ...rest,
            function: { name, arguments: JSON.stringify(JSON.parse(json)) },
          })),
        );
      }),
    );
  });
});

describe("readToolCalls() keeps as text", () => {
  test.for([
    "Hello.",
    "",
    "<tool_call>look at the sky</tool_call>",
    '<tool_call>{"name": "look"</tool_call>',
    '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
    "<tool_call>null</tool_call>",
    '{"name": "Ada"}',
    "<tool_call>",
    "</tool_call><tool_call>",
  ])("%j", (text) => {
    expect(readToolCalls(text, 0)).toEqual({ role: "assistant", content: text });
  });

  test("an invalid call beside a valid one", () => {
    const text =
      '<tool_call>{oops</tool_call><tool_call>{"name":"look","arguments":{}}</tool_call>';
    expect(readToolCalls(text, 0)).toEqual({
      role: "assistant",
      content: "<tool_call>{oops</tool_call>",
      tool_calls: [call(0, "look", {})],
    });
  });

  test("a megabyte of opening tags", () => {
    const text = "<tool_call>".repeat(100_000);
    expect(readToolCalls(text, 0).content).toBe(text);
  });
});
