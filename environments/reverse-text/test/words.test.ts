import { random } from "@envs/core";
import fc from "fast-check";
import { expect, test } from "vitest";

import { texts } from "../src/corpus.ts";
import { pseudoword } from "../src/words.ts";

test("texts too short for sentences are pseudowords of every length", () => {
  const lengths = { minLength: 3, maxLength: 5 };
  const words = texts(lengths, random(0)).take(2000).toArray();
  expect(new Set(words).size).toBe(2000);
  for (const word of words) expect(word).toMatch(/^[a-z]{3,5}$/u);
  expect(new Set(words.map(({ length }) => length))).toEqual(new Set([3, 4, 5]));
});

test("a pseudoword alternates consonants and vowels", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(), (length, seed) => {
      const word = pseudoword(length, random(seed));
      expect(word).toHaveLength(length);
      expect(word).toMatch(/^[aeiou]?(?:[b-df-hj-np-tv-z][aeiou])*[b-df-hj-np-tv-z]?$/u);
    }),
  );
});

test("texts() throws when the pseudowords run out", () => {
  expect(() => texts({ minLength: 1, maxLength: 1 }, random(0)).take(30).toArray()).toThrow(
    /Cannot make another text of 1 to 1 characters/u,
  );
});
