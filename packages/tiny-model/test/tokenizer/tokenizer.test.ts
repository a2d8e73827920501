import { isConfigError } from "@envs/core/engine";
import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { encodeNibbles, roleTokens, specialTokens } from "../../src/tokenizer/special-tokens.ts";
import { tokenizerFromJSON } from "../../src/tokenizer/tokenizer-json.ts";
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

function errorOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isConfigError(error)) return error.message;
    throw error;
  }
  return "no error";
}

test("encode returns a list that the caller may change", () => {
  const text = games[0]!.slice(0, 200);
  const first = lines.encode(text);
  const expected = [...first];
  first.push(0);
  expect(lines.encode(text)).toEqual(expected);
});

test("decode reverses encode for any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const tokenizer of both) expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }),
    { numRuns: cases(300) },
  );
});

test("lone surrogates become the replacement character", () => {
  for (const tokenizer of both)
    expect(tokenizer.decode(tokenizer.encode("a\uD800b"))).toBe("a\uFFFDb");
});

test("text is never encoded as a role token", () => {
  const roleIds = new Set(Object.values(lines.roleIds));
  fc.assert(
    fc.property(anyText, (text) => {
      for (const tokenizer of both)
        expect(tokenizer.encode(text).some((id) => roleIds.has(id))).toBe(false);
    }),
  );
  const trainedOnNames = trainTokenizer(
    Array.from({ length: 9 }, () => specialTokens.join("\n")),
    { vocabularySize: 200 },
  );
  const ids = trainedOnNames.encode(specialTokens.join("\n"));
  expect(Math.min(...ids)).toBeGreaterThanOrEqual(specialTokens.length);
  expect(trainedOnNames.decode(ids)).toBe(specialTokens.join("\n"));
});

test("ids are dense and have distinct texts", () => {
  for (const tokenizer of both) {
    expect(tokenizer.tokens).toHaveLength(tokenizer.vocabularySize);
    expect(new Set(tokenizer.tokens).size).toBe(tokenizer.vocabularySize);
    expect(tokenizer.tokens.slice(0, specialTokens.length)).toEqual(specialTokens);
    expect(roleTokens.map((role) => tokenizer.roleIds[role])).toEqual([0, 1, 2, 3, 4]);
    for (const [id, token] of tokenizer.tokens.entries())
      if (id >= specialTokens.length) expect(tokenizer.decode([id])).toBe(token);
  }
});

test("characters outside the alphabet are encoded as UTF-8 bytes, half a byte per token", () => {
  expect(segments(lines, "é")).toEqual(["<c>", "<3>", "<a>", "<9>"]);
  expect(lines.encode("\u{1F600}")).toEqual(encodeNibbles("\u{1F600}"));
});

test("ids that encode never produces are decoded", () => {
  const [first, ...others] = lines.encode("é");
  expect(lines.decode(others)).toContain("\uFFFD");
  expect(lines.decode([first!, ...lines.encode("X")])).toBe("\uFFFDX");
  expect(lines.decode([lines.roleIds["<|user|>"], lines.roleIds["<|end|>"]])).toBe(
    "<|user|><|end|>",
  );
  expect(lines.decode(lines.encode("\uFEFFa"))).toBe("\uFEFFa");
});

test("unknown ids are rejected", () => {
  expect(errorOf(() => lines.decode([160]))).toMatchInlineSnapshot(
    `"Unknown token 160: the tokenizer has the ids 0 to 159. Decode ids with the tokenizer that encoded them."`,
  );
  expect(errorOf(() => lines.decode([-1]))).toContain("Unknown token -1");
});

test("repeated lines take one token each", () => {
  expect(segments(lines, systemPrompt)).toEqual([
    "You play X. Three in a row win.\n",
    "Answer as <think>your thoughts</think>\n",
    "<move>a number</move>",
  ]);
});

test("a line of the board and the ruler below it are one token, and tokens never span lines", () => {
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

test("the pieces 'words' separate tags, digits and words", () => {
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

test("the vocabulary has the requested size, or is smaller if all merges are learned", () => {
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

test("the order of the texts does not matter, and training is deterministic", () => {
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

test("characters that exceed half of the vocabulary are encoded as bytes", () => {
  const text = Array.from({ length: 200 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(
    "",
  );
  const tokenizer = trainTokenizer([text, text], { vocabularySize: 64 });
  expect(tokenizer.vocabularySize).toBeLessThanOrEqual(64);
  expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
});

test("a long line is encoded without slow patterns", () => {
  const parts = ["a", "X | ", " ", "<", "-", "<move>", "0", "é", "_-", "</think"];
  for (const tokenizer of both) {
    for (const part of parts) {
      const text = part.repeat(cases(100_000) / part.length);
      expect(tokenizer.decode(tokenizer.encode(text)) === text).toBe(true);
    }
  }
});

test("JSON round-trips a tokenizer", () => {
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

test("invalid tokenizers are rejected with the reason", () => {
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
  expect(cases.map((invalid) => errorOf(() => tokenizerFromJSON(invalid)))).toMatchInlineSnapshot(`
    [
      "The tokenizer is not in the format of this version of @envs/tiny-model. Read it from a checkpoint, or train a new one.
      version: Invalid input: expected 1",
      "The tokenizer is not in the format of this version of @envs/tiny-model. Read it from a checkpoint, or train a new one.
      characters.0: must be one character",
      "The tokenizer is corrupt: a character is listed twice. Read it from a checkpoint, or train a new one.",
      "The tokenizer is not in the format of this version of @envs/tiny-model. Read it from a checkpoint, or train a new one.
      merges.0.0: Too small: expected number to be >=21",
      "The tokenizer is corrupt: merge 0 uses a symbol that no earlier merge produces. Read it from a checkpoint, or train a new one.",
      "The tokenizer is corrupt: merge 1 repeats an earlier one. Read it from a checkpoint, or train a new one.",
      "The tokenizer is corrupt: merge 12 produces a token that is too long. Read it from a checkpoint, or train a new one.",
      "The tokenizer is corrupt: token 21 is not a merged symbol. Read it from a checkpoint, or train a new one.",
      "The tokenizer is corrupt: a token is listed twice. Read it from a checkpoint, or train a new one.",
    ]
  `);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(errorOf(() => tokenizerFromJSON(value))).toContain(
        "The tokenizer is not in the format",
      );
    }),
  );
});

test("invalid settings are rejected", () => {
  expect(errorOf(() => trainTokenizer(["a"], { vocabularySize: 20 }))).toMatchInlineSnapshot(
    `"vocabularySize is 20. It must be an integer from 32 to 65536; 256 is enough for a game."`,
  );
  expect(errorOf(() => trainTokenizer(["a"], { vocabularySize: 99.5 }))).toContain(
    "must be an integer",
  );
  expect(errorOf(() => trainTokenizer(["", ""], { vocabularySize: 99 }))).toMatchInlineSnapshot(
    `"The texts to train a tokenizer on are empty. Pass the messages of some rollouts."`,
  );
});
