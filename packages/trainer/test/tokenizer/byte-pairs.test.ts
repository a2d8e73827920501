import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { chooseTokens } from "../../src/tokenizer/choose-tokens.ts";
import { learnMerges } from "../../src/tokenizer/learn-merges.ts";
import { mergeAll } from "../../src/tokenizer/merge.ts";
import { Symbols } from "../../src/tokenizer/symbols.ts";
import { trainTokenizer } from "../../src/tokenizer/train-tokenizer.ts";
import { gameTexts } from "./games.ts";

type TextPair = readonly [left: string, right: string];

/** Joins every such pair of neighbours, from left to right. */
function join(piece: readonly string[], [left, right]: TextPair): string[] {
  const joined: string[] = [];
  for (let at = 0; at < piece.length; at += 1) {
    const isPair = piece[at] === left && piece[at + 1] === right;
    joined.push(isPair ? left + right : piece[at]!);
    if (isPair) at += 1;
  }
  return joined;
}

/** Byte-pair encoding as in the textbook: counts everything anew for every merge. */
function textbookMerges(pieces: ReadonlyMap<string, number>, most: number): string[] {
  let split = Array.from(pieces, ([piece, count]) => ({ symbols: Array.from(piece), count }));
  const learned = new Set<string>();
  while (learned.size < most) {
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

function learned(from: ReadonlyMap<string, number>, most: number): Symbols {
  const symbols = new Symbols(["a", "b", "c"]);
  learnMerges(symbols, from, most);
  return symbols;
}

test("counts that are kept up to date learn what counting anew learns", () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 30 }), (from, most) => {
      const symbols = learned(from, most);
      const pairs = symbols.merges.map((pair) =>
        JSON.stringify(pair.map((symbol) => symbols.texts[symbol])),
      );
      expect(pairs).toEqual(textbookMerges(from, most));
    }),
    { numRuns: cases(500) },
  );
});

test("merging takes the rule of the lowest rank first, from left to right", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 30 });
  fc.assert(
    fc.property(pieces, text, (from, other) => {
      const symbols = learned(from, 30);
      const slowly = symbols.spell(other);
      for (;;) {
        const rules = slowly.slice(1).map((right, at) => symbols.rule(slowly[at]!, right));
        const ranks = rules.map((rule) => rule?.rank ?? Infinity);
        const lowest = Math.min(...ranks);
        if (lowest === Infinity) break;
        const at = ranks.indexOf(lowest);
        slowly.splice(at, 2, rules[at]!.result);
      }
      expect(mergeAll(symbols, symbols.spell(other))).toEqual(slowly);
    }),
    { numRuns: cases(500) },
  );
});

test("trimming keeps as many tokens as there is room for, and those that the text needs most", () => {
  const symbols = new Symbols(["a", "b", "c"]);
  const [a, b, c] = symbols.spell("abc");
  const ab = symbols.merge(a!, b!);
  const abc = symbols.merge(ab, c!);
  const occurrences = symbols.texts.map(() => 0);
  occurrences[abc] = 10;
  occurrences[ab] = 3;
  expect(chooseTokens(symbols, occurrences, 2)).toEqual(new Set([ab, abc]));
  expect(chooseTokens(symbols, occurrences, 1)).toEqual(new Set([abc]));
  occurrences[ab] = 30;
  expect(chooseTokens(symbols, occurrences, 1)).toEqual(new Set([ab]));
  expect(chooseTokens(symbols, occurrences, 0)).toEqual(new Set());
});

test("a trimmed vocabulary writes games with fewer tokens than plain byte-pair encoding of the same size", () => {
  const games = gameTexts(60);
  const lines = games.flatMap((text) => text.split(/(?<=\n)/u));
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const vocabularySize of [128, 192, 256]) {
    const plain = new Symbols([...new Set(games.join(""))]);
    learnMerges(plain, counts, vocabularySize - plain.firstMerged);
    const plainLength = lines.reduce(
      (sum, line) => sum + mergeAll(plain, plain.spell(line)).length,
      0,
    );
    const tokenizer = trainTokenizer(games, { vocabularySize });
    const length = games.reduce((sum, text) => sum + tokenizer.encode(text).length, 0);
    expect(length).toBeLessThan(0.75 * plainLength);
  }
});
