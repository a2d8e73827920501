import { assistantMessage } from "@envs/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { highlightChanges, replyBlock } from "../../src/play/play-text.ts";
import { parseInput, parseToolCall, tagFields, wrapInTags } from "../../src/play/player-input.ts";

const name = fc.constantFrom("think", "move", "a-b", "x.y");
const text = fc.string().filter((value) => !value.includes("<"));

describe("reply tags", () => {
  test("parses a reply that consists only of tags", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 4 }), (fields) => {
        const reply = fields.map(([tag, inner]) => `<${tag}>${inner}</${tag}>`).join("\n");
        expect(tagFields(reply)).toEqual(
          fields.map(([tag, inner]) => ({ name: tag, text: inner.trim() })),
        );
      }),
    );
  });

  test.each(["", "Hello.", "<a>1</a> and more", "<a>1", "1<a></a>", "<a>1</b>", "<<a>>"])(
    "returns no fields for %j",
    (reply) => {
      expect(tagFields(reply)).toBeUndefined();
    },
  );

  const sample = "<think>Why not.</think>\n<move>4</move>";

  test("puts the last line into the last tag and the lines before it into the first", () => {
    expect(wrapInTags("7", sample)).toBe("<think></think>\n<move>7</move>");
    expect(wrapInTags("It blocks.\nBoth.\n7", sample)).toBe(
      "<think>It blocks.\nBoth.</think>\n<move>7</move>",
    );
    expect(wrapInTags("two\nlines", "<text>…</text>")).toBe("<text>two\nlines</text>");
  });

  test("keeps text with tags, and text for a sample without tags, unchanged", () => {
    expect(wrapInTags("<move>7</move>", sample)).toBe("<move>7</move>");
    expect(wrapInTags("7", "I take 4.")).toBe("7");
  });
});

describe("parseInput", () => {
  test("returns text unless the line begins with a single slash", () => {
    fc.assert(
      fc.property(fc.string(), (line) => {
        const typed = parseInput(line);
        if (!line.startsWith("/")) expect(typed).toEqual({ kind: "text", text: line });
        expect(parseInput(`/${line.replace(/^\/*/, "/")}`).kind).toBe("text");
      }),
    );
  });

  test("parses a command and its argument", () => {
    expect(parseInput("/Call  look  there ")).toEqual({
      kind: "command",
      name: "call",
      argument: "look  there",
    });
    expect(parseInput("/")).toMatchObject({ kind: "unknown" });
  });
});

describe("parseToolCall", () => {
  const string = { type: "string" };
  const tool = (properties: object, required: readonly string[]) => ({
    name: "look",
    description: "Look",
    parameters: { properties, required },
  });
  const argumentsOf = (typed: string, ...tools: Parameters<typeof parseToolCall>[1][number][]) => {
    const call = parseToolCall(typed, tools);
    return "problem" in call ? call.problem : call.tool_calls?.[0]?.function.arguments;
  };

  test("passes JSON on unchanged, even if it is invalid, as a model could", () => {
    expect(argumentsOf('look {"at": 3', tool({}, []))).toBe('{"at": 3');
    expect(argumentsOf("look", tool({}, []))).toBe("{}");
  });

  test("uses plain text as the only required argument", () => {
    expect(argumentsOf('look at "it"', tool({ query: string, limit: {} }, ["query"]))).toBe(
      '{"query":"at \\"it\\""}',
    );
    expect(argumentsOf("look 3", tool({ limit: { type: "integer" } }, []))).toBe('{"limit": 3}');
  });

  test("rejects ambiguous arguments and unknown tools", () => {
    expect(argumentsOf("look there", tool({ a: string, b: string }, ["a", "b"]))).toContain("JSON");
    expect(argumentsOf("loook x", tool({}, []))).toContain("Did you mean look?");
    expect(argumentsOf("look x")).toContain("This environment has no tools.");
  });
});

describe("the output", () => {
  test("shows the fields of a reply with tags, else its text", () => {
    const reply = assistantMessage("<think>The corner is free.</think><move>8</move>");
    expect(replyBlock("it", reply, 80)).toBe("\nit\n  think  The corner is free.\n  move   8");
    expect(replyBlock("it", assistantMessage("Eight."), 80)).toBe("\nit\n  Eight.");
    expect(replyBlock("it", assistantMessage(""), 80)).toBe("\nit\n  (empty)");
  });

  test("escapes control characters in a reply", () => {
    expect(replyBlock("it", assistantMessage("<move>\u001B[2J8</move>"), 80)).toContain("␛[2J8");
  });

  test("highlights changes without changing the text", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (lines, before) => {
        expect(highlightChanges(lines, before)).toEqual(lines);
      }),
    );
  });
});
