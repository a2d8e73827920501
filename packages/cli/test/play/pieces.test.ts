import { assistant } from "@envs/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readTyped } from "../../src/play/commands.ts";
import { inForm, tagFields } from "../../src/play/reply-form.ts";
import { readToolCall } from "../../src/play/tool-call.ts";
import { markChanges } from "../../src/render/changes.ts";
import { replyBlock } from "../../src/render/play.ts";

const name = fc.constantFrom("think", "move", "a-b", "x.y");
const text = fc.string().filter((value) => !value.includes("<"));

describe("the form of replies", () => {
  test("a reply of nothing but tags is read field by field", () => {
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
    "%j has other text, so it has no fields",
    (reply) => {
      expect(tagFields(reply)).toBeUndefined();
    },
  );

  const sample = "<think>Why not.</think>\n<move>4</move>";

  test("the last line is the answer, what comes before it the thought", () => {
    expect(inForm("7", sample)).toBe("<think></think>\n<move>7</move>");
    expect(inForm("It blocks.\nBoth.\n7", sample)).toBe(
      "<think>It blocks.\nBoth.</think>\n<move>7</move>",
    );
    expect(inForm("two\nlines", "<text>…</text>")).toBe("<text>two\nlines</text>");
  });

  test("whoever writes a tag writes all", () => {
    expect(inForm("<move>7</move>", sample)).toBe("<move>7</move>");
    expect(inForm("7", "I take 4.")).toBe("7");
  });
});

describe("what is typed", () => {
  test("is a text unless a slash begins it", () => {
    fc.assert(
      fc.property(fc.string(), (line) => {
        const typed = readTyped(line);
        if (!line.startsWith("/")) expect(typed).toEqual({ kind: "text", text: line });
        expect(readTyped(`/${line.replace(/^\/*/, "/")}`).kind).toBe("text");
      }),
    );
  });

  test("may be a command, with a rest", () => {
    expect(readTyped("/Call  look  there ")).toEqual({
      kind: "command",
      name: "call",
      rest: "look  there",
    });
    expect(readTyped("/")).toMatchObject({ kind: "mistake" });
  });
});

describe("a tool call", () => {
  const string = { type: "string" };
  const tool = (properties: object, required: readonly string[]) => ({
    name: "look",
    description: "Look",
    parameters: { properties, required },
  });
  const argumentsOf = (typed: string, ...tools: Parameters<typeof readToolCall>[1][number][]) => {
    const call = readToolCall(typed, tools);
    return "problem" in call ? call.problem : call.tool_calls?.[0]?.function.arguments;
  };

  test("takes JSON as it is, broken too: that is what a model could do", () => {
    expect(argumentsOf('look {"at": 3', tool({}, []))).toBe('{"at": 3');
    expect(argumentsOf("look", tool({}, []))).toBe("{}");
  });

  test("takes plain text for the one argument that is needed", () => {
    expect(argumentsOf('look at "it"', tool({ query: string, limit: {} }, ["query"]))).toBe(
      '{"query":"at \\"it\\""}',
    );
    expect(argumentsOf("look 3", tool({ limit: { type: "integer" } }, []))).toBe('{"limit": 3}');
  });

  test("is refused where it cannot be meant", () => {
    expect(argumentsOf("look there", tool({ a: string, b: string }, ["a", "b"]))).toContain("JSON");
    expect(argumentsOf("loook x", tool({}, []))).toContain("Did you mean look?");
    expect(argumentsOf("look x")).toContain("There are none.");
  });
});

describe("what is shown", () => {
  test("of a reply, its fields; of another, its text", () => {
    const reply = assistant("<think>The corner is free.</think><move>8</move>");
    expect(replyBlock("it", reply, 80)).toBe("\nit\n  think  The corner is free.\n  move   8");
    expect(replyBlock("it", assistant("Eight."), 80)).toBe("\nit\n  Eight.");
    expect(replyBlock("it", assistant(""), 80)).toBe("\nit\n  (says nothing)");
  });

  test("keeps what a model writes from moving the cursor", () => {
    expect(replyBlock("it", assistant("<move>\u001B[2J8</move>"), 80)).toContain("␛[2J8");
  });

  test("changes are marked without changing the text", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (lines, before) => {
        expect(markChanges(lines, before)).toEqual(lines);
      }),
    );
  });
});
