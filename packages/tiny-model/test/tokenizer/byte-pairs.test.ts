import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { applyMerges } from "../../src/tokenizer/apply-merges.ts";
import { learnMerges } from "../../src/tokenizer/learn-merges.ts";
import { Symbols } from "../../src/tokenizer/symbols.ts";
import { trainTokenizer } from "../../src/tokenizer/train-tokenizer.ts";
import { trimVocabulary } from "../../src/tokenizer/trim-vocabulary.ts";
import { gameTexts } from "./games.ts";

type TextPair = readonly [left: string, right: string];

/** Joins every occurrence of a pair, from left to right. */
function join(piece: readonly string[], [left, right]: TextPair): string[] {
  const joined: string[] = [];
  for (let at = 0; at < piece.length; at += 1) {
    const isPair = piece[at] === left && piece[at + 1] === right;
    joined.push(isPair ? left + right : piece[at]!);
    if (isPair) at += 1;
  }
  return joined;
}

/** Byte-pair encoding as in the textbook: counts all pairs again for every merge. */
function textbookMerges(pieces: ReadonlyMap<string, number>, maxMerges: number): string[] {
  let split = Array.from(pieces, ([piece, count]) => ({ symbols: Array.from(piece), count }));
  const learned = new Set<string>();
  while (learned.size < maxMerges) {
    const counts = new Map<string, number>();
    for (const { symbols, count } of split)
      for (const [at, left] of symbols.slice(0, -1).entries()) {
        const key = JSON.stringify([left, symbols[at + 1]]);
        counts.set(key, (counts.get(key) ?? 0) + count);
      }
    const best = [...counts].sort(
      ([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1),
    )[0];
    if (best === undefined || best[1] < 2) break;
    learned.add(best[0]);
    const pair = JSON.parse(best[0]) as TextPair;
    split = split.map(({ symbols, count }) => ({ symbols: join(symbols, pair), count }));
  }
  return [...learned];
}

const pieces = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((entries): ReadonlyMap<string, number> => new Map(entries));

function learned(from: ReadonlyMap<string, number>, maxMerges: number): Symbols {
  const symbols = new Symbols(["a", "b", "c"]);
  learnMerges(symbols, from, maxMerges);
  return symbols;
}

test("updated counts learn the same merges as counting again", () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 30 }), (from, maxMerges) => {
      const symbols = learned(from, maxMerges);
      const pairs = symbols.merges.map((pair) =>
        JSON.stringify(pair.map((symbol) => symbols.texts[symbol])),
      );
      expect(pairs).toEqual(textbookMerges(from, maxMerges));
    }),
    { numRuns: cases(500) },
  );
});

test("merging applies the rule of the lowest rank first, from left to right", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 30 });
  fc.assert(
    fc.property(pieces, text, (from, other) => {
      const symbols = learned(from, 30);
      const expected = symbols.spell(other);
      for (;;) {
        const rules = expected.slice(1).map((right, at) => symbols.rule(expected[at]!, right));
        const ranks = rules.map((rule) => rule?.rank ?? Infinity);
        const lowest = Math.min(...ranks);
        if (lowest === Infinity) break;
        const at = ranks.indexOf(lowest);
        expected.splice(at, 2, rules[at]!.result);
      }
      expect(applyMerges(symbols, symbols.spell(other))).toEqual(expected);
    }),
    { numRuns: cases(500) },
  );
});

test("trimming keeps the tokens that save the most", () => {
  const symbols = new Symbols(["a", "b", "c"]);
  const [a, b, c] = symbols.spell("abc");
  const ab = symbols.merge(a!, b!);
  const abc = symbols.merge(ab, c!);
  const occurrences = symbols.texts.map(() => 0);
  occurrences[abc] = 10;
  occurrences[ab] = 3;
  expect(trimVocabulary(symbols, occurrences, 2)).toEqual(new Set([ab, abc]));
  expect(trimVocabulary(symbols, occurrences, 1)).toEqual(new Set([abc]));
  occurrences[ab] = 30;
  expect(trimVocabulary(symbols, occurrences, 1)).toEqual(new Set([ab]));
  expect(trimVocabulary(symbols, occurrences, 0)).toEqual(new Set());
});

test("a trimmed vocabulary encodes games with fewer tokens than plain byte-pair encoding of the same size", () => {
  const games = gameTexts(60);
  const lines = games.flatMap((text) => text.split(/(?<=\n)/u));
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const vocabularySize of [128, 192, 256]) {
    const plain = new Symbols([...new Set(games.join(""))]);
    learnMerges(plain, counts, vocabularySize - plain.firstMerged);
    const plainLength = lines.reduce(
      (sum, line) => sum + applyMerges(plain, plain.spell(line)).length,
      0,
    );
    const tokenizer = trainTokenizer(games, { vocabularySize });
    const length = games.reduce((sum, text) => sum + tokenizer.encode(text).length, 0);
    expect(length).toBeLessThan(0.75 * plainLength);
  }
});
