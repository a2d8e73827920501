import { isConfigError } from "@envs/core/engine";
import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { nibblesOf, roleTokens, specialTokens } from "../../src/tokenizer/special-tokens.ts";
import { tokenizerFromJSON } from "../../src/tokenizer/tokenizer-from-json.ts";
import type { Tokenizer } from "../../src/tokenizer/tokenizer.ts";
import { trainTokenizer } from "../../src/tokenizer/train-tokenizer.ts";
import { gameTexts, systemPrompt } from "./games.ts";

const games = gameTexts(60);
const lines = trainTokenizer(games, { vocabularySize: 160 });
const words = trainTokenizer(games, { vocabularySize: 160, pieces: "words" });
const both = [lines, words];

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom(...games, ...specialTokens, " ", "\n", "é", "\u{1F600}", "\uFEFF"))
    .map((parts) => parts.join("")),
);

/** The texts of the tokens that a text is encoded to. */
function segments(tokenizer: Tokenizer, text: string): string[] {
  return tokenizer.encode(text).map((id) => tokenizer.tokens[id]!);
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isConfigError(error)) return error.message;
    throw error;
  }
  return "nothing was refused";
}

test("any text comes back as it was", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const tokenizer of both) expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }),
    { numRuns: cases(300) },
  );
});

test("a lone surrogate, which is no text, becomes the replacement character", () => {
  for (const tokenizer of both)
    expect(tokenizer.decode(tokenizer.encode("a\uD800b"))).toBe("a\uFFFDb");
});

test("no text is encoded to a role token, however much it looks like one", () => {
  const roleIds = new Set(Object.values(lines.roleIds));
  fc.assert(
    fc.property(anyText, (text) => {
      for (const tokenizer of both)
        expect(tokenizer.encode(text).some((id) => roleIds.has(id))).toBe(false);
    }),
  );
  const trainedOnThem = trainTokenizer(
    Array.from({ length: 9 }, () => specialTokens.join("\n")),
    { vocabularySize: 200 },
  );
  const ids = trainedOnThem.encode(specialTokens.join("\n"));
  expect(Math.min(...ids)).toBeGreaterThanOrEqual(specialTokens.length);
  expect(trainedOnThem.decode(ids)).toBe(specialTokens.join("\n"));
});

test("ids are dense, and each has a text of its own", () => {
  for (const tokenizer of both) {
    expect(tokenizer.tokens).toHaveLength(tokenizer.vocabularySize);
    expect(new Set(tokenizer.tokens).size).toBe(tokenizer.vocabularySize);
    expect(tokenizer.tokens.slice(0, specialTokens.length)).toEqual(specialTokens);
    expect(roleTokens.map((role) => tokenizer.roleIds[role])).toEqual([0, 1, 2, 3, 4]);
    for (const [id, token] of tokenizer.tokens.entries())
      if (id >= specialTokens.length) expect(tokenizer.decode([id])).toBe(token);
  }
});

test("characters that were not trained on are written as their UTF-8 bytes, half a byte a token", () => {
  expect(segments(lines, "é")).toEqual(["<c>", "<3>", "<a>", "<9>"]);
  expect(lines.encode("\u{1F600}")).toEqual(nibblesOf("\u{1F600}"));
});

test("ids that no text has are decoded, too", () => {
  const [first, ...rest] = lines.encode("é");
  expect(lines.decode(rest)).toContain("\uFFFD");
  expect(lines.decode([first!, ...lines.encode("X")])).toBe("\uFFFDX");
  expect(lines.decode([lines.roleIds["<|user|>"], lines.roleIds["<|end|>"]])).toBe(
    "<|user|><|end|>",
  );
  expect(lines.decode(lines.encode("\uFEFFa"))).toBe("\uFEFFa");
});

test("an id that does not exist is refused", () => {
  expect(refusal(() => lines.decode([160]))).toMatchInlineSnapshot(
    `"There is no token 160: this tokenizer has the ids 0 to 159. Decode ids with the tokenizer that made them."`,
  );
  expect(refusal(() => lines.decode([-1]))).toContain("no token -1");
});

test("what every conversation repeats takes one token a line", () => {
  expect(segments(lines, systemPrompt)).toEqual([
    "You play X. Three in a row win.\n",
    "Answer as <think>your thoughts</think>\n",
    "<move>a number</move>",
  ]);
});

test("a line of the board is one token with the ruler below it, and no token goes into the next line", () => {
  expect(segments(lines, games[1]!)).toMatchInlineSnapshot(`
    [
      "0 | 1 | 2
    ---------
    ",
      "3 | 4 | 5
    ---------
    ",
      "O | O | O

    ",
      "Free positions: 0, 1, 2, 3, 4, 5
    ",
      "It is your turn.",
    ]
  `);
  for (const token of lines.tokens) expect(token).not.toMatch(/\n[^\n]*[\p{L}\p{N}]/u);
});

test("pieces of words keep tags, digits and words apart", () => {
  expect(segments(words, games[2]!)).toMatchInlineSnapshot(`
    [
      "<think>",
      "win",
      ":",
      " none",
      ";",
      " block",
      ":",
      " ",
      "0",
      "</think>",
      "
    ",
      "<move>",
      "5",
      "</move>",
    ]
  `);
});

test("the vocabulary is as large as asked for, and smaller if nothing more can be merged", () => {
  for (const vocabularySize of [80, 100, 128, 200])
    expect(trainTokenizer(games, { vocabularySize }).vocabularySize).toBe(vocabularySize);
  const small = trainTokenizer(["abc"], { vocabularySize: 100 });
  expect(small.vocabularySize).toBe(specialTokens.length + 3);
});

test("more tokens never make the training texts longer", () => {
  const length = (vocabularySize: number): number => {
    const tokenizer = trainTokenizer(games, { vocabularySize });
    return games.reduce((sum, text) => sum + tokenizer.encode(text).length, 0);
  };
  const lengths = [80, 100, 128, 160, 200].map(length);
  expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
});

test("the order of the texts does not matter, and training again gives the same tokenizer", () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: fc.constantFrom("a", "b", "\n") }), fc.constantFrom(...games)),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(texts, (some) => {
      fc.pre(some.some((text) => text !== ""));
      const options = { vocabularySize: 120 };
      expect(trainTokenizer(some.toReversed(), options).toJSON()).toEqual(
        trainTokenizer(some, options).toJSON(),
      );
    }),
  );
});

test("overlapping repeats are merged from left to right", () => {
  const tokenizer = trainTokenizer(["aaaa", "aaaa", "aaa"], { vocabularySize: 100 });
  expect(segments(tokenizer, "aaaaaaa").join("")).toBe("aaaaaaa");
  expect(segments(tokenizer, "aaaa")).toEqual(["aaaa"]);
});

test("more characters than the vocabulary has room for are written as bytes", () => {
  const text = Array.from({ length: 200 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(
    "",
  );
  const tokenizer = trainTokenizer([text, text], { vocabularySize: 64 });
  expect(tokenizer.vocabularySize).toBeLessThanOrEqual(64);
  expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
});

test("a hostile line of 200 kB is encoded, whatever it consists of", () => {
  const parts = ["a", "X | ", " ", "<", "-", "<move>", "0", "é", "_-", "</think"];
  for (const tokenizer of both) {
    for (const part of parts) {
      const text = part.repeat(200_000 / part.length);
      expect(tokenizer.decode(tokenizer.encode(text)) === text).toBe(true);
    }
  }
});

test("a tokenizer is the same after a trip through JSON", () => {
  for (const tokenizer of both) {
    const read = tokenizerFromJSON(JSON.parse(JSON.stringify(tokenizer)));
    expect(read.tokens).toEqual(tokenizer.tokens);
    expect(read.toJSON()).toEqual(tokenizer.toJSON());
    fc.assert(
      fc.property(anyText, (text) => {
        expect(read.encode(text)).toEqual(tokenizer.encode(text));
      }),
    );
  }
});

test("what is no tokenizer is refused with the reason", () => {
  const json = lines.toJSON();
  const first = specialTokens.length;
  const next = first + json.characters.length;
  const cases: unknown[] = [
    { ...json, version: 2 },
    { ...json, characters: ["ab"] },
    { ...json, characters: ["a", "a"], merges: [], tokens: [] },
    { ...json, merges: [[0, first]] },
    { ...json, merges: [[first, next]] },
    {
      ...json,
      merges: [
        [first, first],
        [first, first],
      ],
    },
    {
      ...json,
      merges: Array.from({ length: 13 }, (_, index) =>
        index === 0 ? [first, first] : [next + index - 1, next + index - 1],
      ),
    },
    { ...json, tokens: [first] },
    { ...json, tokens: [next, next] },
  ];
  expect(cases.map((broken) => refusal(() => tokenizerFromJSON(broken)))).toMatchInlineSnapshot(`
    [
      "This is no tokenizer as this version of @envs/trainer writes it. Take it from a checkpoint, or train one anew.
      version: Invalid input: expected 1",
      "This is no tokenizer as this version of @envs/trainer writes it. Take it from a checkpoint, or train one anew.
      characters.0: must be one character",
      "The tokenizer is broken: a character is listed twice. Take it from a checkpoint, or train one anew.",
      "This is no tokenizer as this version of @envs/trainer writes it. Take it from a checkpoint, or train one anew.
      merges.0.0: Too small: expected number to be >=21",
      "The tokenizer is broken: merge 0 uses a symbol that no earlier merge makes. Take it from a checkpoint, or train one anew.",
      "The tokenizer is broken: merge 1 repeats an earlier one. Take it from a checkpoint, or train one anew.",
      "The tokenizer is broken: merge 12 makes a token that is too long. Take it from a checkpoint, or train one anew.",
      "The tokenizer is broken: token 21 is no merged symbol. Take it from a checkpoint, or train one anew.",
      "The tokenizer is broken: a token is listed twice. Take it from a checkpoint, or train one anew.",
    ]
  `);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(refusal(() => tokenizerFromJSON(value))).toContain("This is no tokenizer");
    }),
  );
});

test("settings that cannot work are refused", () => {
  expect(refusal(() => trainTokenizer(["a"], { vocabularySize: 20 }))).toMatchInlineSnapshot(
    `"vocabularySize is 20, but must be a whole number from 32 to 65536; 256 is enough for a game."`,
  );
  expect(refusal(() => trainTokenizer(["a"], { vocabularySize: 99.5 }))).toContain("whole number");
  expect(refusal(() => trainTokenizer(["", ""], { vocabularySize: 99 }))).toMatchInlineSnapshot(
    `"There is no text to train a tokenizer on. Pass the messages of some rollouts."`,
  );
});
