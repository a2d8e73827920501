import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isConsistent, marksOf, shareRevealed } from "../src/marks.ts";

test.each([
  ["crane", "crane", "GGGGG"],
  ["slate", "crane", "XXGXG"],
  ["nacre", "crane", "YYYYG"],
  // The word has one e, which the second e of the guess has in its place.
  ["geese", "crane", "XXXXG"],
  ["eerie", "crane", "XXYXG"],
  // The word has two e, of which one is in its place.
  ["eerie", "these", "YXXXG"],
  ["speed", "abide", "XXYXY"],
  ["speed", "erase", "YXYYX"],
  ["llama", "label", "GYYXX"],
])("marks %s for the word %s as %s", (word, secret, marks) => {
  expect(marksOf(word, secret)).toBe(marks);
});

const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), minLength: 5, maxLength: 5 });
const count = (letter: string, text: string): number => text.split(letter).length - 1;

test("marks each letter of a guess as often as the word has it", () => {
  fc.assert(
    fc.property(word, word, (guess, secret) => {
      const marks = marksOf(guess, secret);
      for (const letter of new Set(guess)) {
        const revealed = Array.from(guess).filter(
          (other, at) => other === letter && marks[at] !== "X",
        );
        expect(revealed).toHaveLength(Math.min(count(letter, guess), count(letter, secret)));
      }
    }),
  );
});

test("marks a letter G exactly where the guess and the word agree", () => {
  fc.assert(
    fc.property(word, word, (guess, secret) => {
      const marks = marksOf(guess, secret);
      for (const [at, letter] of Array.from(guess).entries())
        expect(marks[at] === "G").toBe(letter === secret[at]);
    }),
  );
});

test("the hidden word is consistent with every guess", () => {
  fc.assert(
    fc.property(word, fc.array(word), (secret, words) => {
      const guesses = words.map((guess) => ({ word: guess, marks: marksOf(guess, secret) }));
      expect(isConsistent(secret, guesses)).toBe(true);
    }),
  );
});

test("a letter elsewhere counts half as much as a letter in its place", () => {
  expect(shareRevealed({ word: "speed", marks: "GGGGG" })).toBe(1);
  expect(shareRevealed({ word: "speed", marks: "YXYYX" })).toBe(0.3);
});
