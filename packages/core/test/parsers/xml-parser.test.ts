import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { assistantMessage, type Message, userMessage, xmlParser } from "../../src/index.ts";

const parser = xmlParser("think", "move");
const optional = xmlParser("think?", "move");

describe("parse", () => {
  /** Text that a tag may contain: trimmed, and without the parser's own tags. */
  const content = fc
    .oneof(
      fc.string(),
      fc.constantFrom("<b>", "a < b", "</", "<think", "move>", "< move >", "1\n2"),
    )
    .map((text) => text.trim())
    .filter((text) => !/<\/?(think|move|answer)>/.test(text));

  test("reads what render() writes", () => {
    fc.assert(
      fc.property(content, content, (think, move) => {
        expect(parser.parse(parser.render({ think, move }))).toEqual({ think, move });
      }),
    );
  });

  test("reads what render() writes between other text", () => {
    fc.assert(
      fc.property(content, content, content, (before, move, after) => {
        const text = before + parser.render({ move }) + after;
        expect(parser.parse(text)).toEqual({ think: undefined, move });
      }),
    );
  });

  test("reads every valid field name", () => {
    const name = fc.stringMatching(/^[A-Za-z_][\w.-]{0,5}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), content, (names, text) => {
        const any = xmlParser(...names);
        const fields = Object.fromEntries(names.map((name, index) => [name, `${index}`]));
        expect(any.parse(any.render(fields))).toEqual(fields);
        expect(any.parse(text)).toEqual(Object.fromEntries(names.map((name) => [name, undefined])));
      }),
    );
  });

  test.for([
    ["<move>1</move>", "1"],
    ["<move>\n 1 \n</move>", "1"],
    ["<move></move>", ""],
    ["<move>1</move> or rather <move>2</move>", "2"],
    ["<move>1</move> <move>2", "1"],
    ["<move>1 <move>2</move>", "2"],
    ["<move>1</move></move>", "1"],
    ["</move><move>", undefined],
    ["<move>", undefined],
    ["</move>", undefined],
    ["<move 1>2</move>", undefined],
    ["<MOVE>1</MOVE>", undefined],
    ["<moves>1</moves>", undefined],
    ["", undefined],
  ] as const)("finds in %j the move %j", ([text, move]) => {
    expect(parser.parse(text).move).toBe(move);
  });

  test("reads the last of several alternatives under the first name", () => {
    const either = xmlParser(["answer", "result"]);
    expect(either.parse("<result>1</result>")).toEqual({ answer: "1" });
    expect(either.parse("<result>1</result> <answer>2</answer>")).toEqual({ answer: "2" });
    expect(either.parse("<answer>1</answer> <result>2</result>")).toEqual({ answer: "2" });
    expect(either.render({ answer: "3" })).toBe("<answer>3</answer>");
    expect(either.format).toBe("<answer>...</answer>");
  });
});

describe("formatScore", () => {
  const score = (text: string, of: typeof parser | typeof optional = parser): number =>
    of.formatScore([assistantMessage(text)]);

  test.for([
    ["<think>a</think><move>1</move>", 1],
    ["so <think>a</think> then <move>1</move> there", 1],
    ["<move>1</move>", 0],
    ["<move>1</move><think>a</think>", 0],
    ["<think><move>1</move></think>", 0],
    ["<think>a<move>1</think></move>", 0],
    ["<move>0</move><think>a</think><move>1</move>", 1],
    ["", 0],
  ] as const)("of %j is %d", ([text, expected]) => {
    expect(score(text)).toBe(expected);
  });

  test("does not require optional tags, but checks their order", () => {
    expect(score("<move>1</move>", optional)).toBe(1);
    expect(score("<think>a</think><move>1</move>", optional)).toBe(1);
    expect(score("<move>1</move><think>a</think>", optional)).toBe(0);
  });

  test("is a mean over the model's messages", () => {
    const good = assistantMessage("<think>a</think><move>1</move>");
    const completion: Message[] = [good, userMessage("<move>"), assistantMessage("no"), good, good];
    expect(parser.formatScore(completion)).toBe(0.75);
    expect(parser.formatScore([userMessage("hi")])).toBe(0);
    expect(parser.formatScore([])).toBe(0);
  });

  test("is 1 for what render() writes", () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (move, isThinking) => {
        const text = optional.render({ move: `${move}`, ...(isThinking ? { think: "hm" } : {}) });
        expect(score(text, optional)).toBe(1);
      }),
    );
  });
});

// The rule, per message: 0.4 × the share of fields that exist, if at least one has a value; 0.2 for spacing, which every
// message gets; 0.2 for a first-field tag at the beginning; 0.2 for a last-field tag at the end.
describe("verifiersFormatScore", () => {
  test.for([
    ["<think>a</think><move>1</move>", 1],
    ["  <think>a</think> <move>1</move>\n", 1],
    ["<move>1</move>", 0.4 * 0.5 + 0.2 + 0.2],
    ["<think>a</think>", 0.4 * 0.5 + 0.2 + 0.2],
    ["hello", 0.2],
    ["", 0.2],
    ["<think>a</think> then <move>1</move> there", 0.4 + 0.2 + 0.2],
    // An unclosed tag counts as an existing field if another field has a value.
    ["<think>a <move>1</move>", 0.4 + 0.2 + 0.2 + 0.2],
    // Without a value, the share of fields is 0, and the beginning still counts.
    ["<think>a", 0.2 + 0.2],
    ["</think>a<think>", 0.2],
    ["a</move>", 0.2 + 0.2],
  ] as const)("of %j is %d", ([text, expected]) => {
    expect(parser.verifiersFormatScore([assistantMessage(text)])).toBeCloseTo(expected, 12);
  });

  test("counts alternatives as one field", () => {
    const either = xmlParser("think", ["answer", "result"]);
    const text = "<think>a</think><result>1</result>";
    expect(either.verifiersFormatScore([assistantMessage(text)])).toBeCloseTo(1, 12);
    expect(either.verifiersFormatScore([assistantMessage(`${text}<answer>`)])).toBeCloseTo(0.8, 12);
  });

  test("is a mean over messages, and 0 without messages", () => {
    const messages = [
      assistantMessage("<think>a</think><move>1</move>"),
      userMessage("?"),
      assistantMessage("x"),
    ];
    expect(parser.verifiersFormatScore(messages)).toBeCloseTo(0.6, 12);
    expect(parser.verifiersFormatScore([])).toBe(0);
  });
});

test.for(["", "?", "a b", "1a", "<a>", "a>", "ü"])("rejects the tag %j", (tag) => {
  expect(() => xmlParser(tag)).toThrow("is not a valid tag");
});

test("rejects a tag of two fields", () => {
  expect(() => xmlParser("think", "move", "think?")).toThrow(
    'xmlParser() has the tag "think" twice.',
  );
  expect(() => xmlParser("think", ["answer", "think"])).toThrow(
    'xmlParser() has the tag "think" twice.',
  );
});

test("describes the tags in order for a prompt", () => {
  expect(optional.format).toBe("<think>...</think> <move>...</move>");
});
