import { random } from "@envs/core";
import fc from "fast-check";
import { expect, test } from "vitest";

import { type LengthRange, scenes, texts } from "../src/corpus.ts";
import { commonWords } from "../src/scenes/everyone.ts";

function take(count: number, lengths: LengthRange, seed = 0): string[] {
  return texts(lengths, random(seed)).take(count).toArray();
}

const usual = { minLength: 10, maxLength: 400 };

test("5,000 texts are all different", () => {
  expect(new Set(take(5000, usual)).size).toBe(5000);
});

test("texts have all lengths, from a few words to a paragraph", () => {
  const lengths = take(1000, usual).map((text) => text.length);
  for (const [low, high] of [
    [10, 30],
    [30, 60],
    [60, 120],
    [120, 250],
    [250, 401],
  ] as const)
    expect(lengths.filter((length) => length >= low && length < high).length).toBeGreaterThan(50);
});

test("every text respects minLength and maxLength", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 60, max: 300 }),
      fc.nat(),
      (minLength, extra, seed) => {
        const lengths = { minLength, maxLength: minLength + extra };
        for (const text of take(20, lengths, seed)) {
          expect(text.length).toBeGreaterThanOrEqual(lengths.minLength);
          expect(text.length).toBeLessThanOrEqual(lengths.maxLength);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test("every text begins and ends like a sentence and has no unfilled slot", () => {
  for (const text of take(3000, { minLength: 1, maxLength: 600 })) {
    expect(text).toMatch(/^[\p{Lu}"\d]/u);
    expect(text).toMatch(/[.!?"]$/u);
    expect(text).not.toMatch(/[{}]|undefined|\s{2}|\ba [aeiou]/u);
  }
});

test("pronouns appear only after the name", () => {
  for (const text of take(3000, usual)) {
    const pronoun = text.search(/\b(?:She|she|He|he|her|his)\b/u);
    if (pronoun === -1) continue;
    expect(text.slice(0, pronoun)).toMatch(/\p{Lu}\p{Ll}/u);
  }
});

test("every scene has enough words for its slots", () => {
  for (const scene of scenes) {
    const words = { ...commonWords, ...scene.words };
    const templates = [scene.short, scene.opening, scene.middle, scene.closing].flat();
    for (const [, slot, place] of templates.join(" ").matchAll(/\{(\w+?)(\d?)\}/gu)) {
      const list = slot!.toLowerCase();
      if (["name", "they", "their"].includes(list)) continue;
      const count = words[list]?.length ?? 0;
      expect({ slot, hasEnough: count >= Number(place || "1") }).toEqual({ slot, hasEnough: true });
    }
  }
});

test("the seed determines the texts", () => {
  expect(take(50, usual, 1)).toEqual(take(50, usual, 1));
  expect(take(50, usual, 1)).not.toEqual(take(50, usual, 2));
});

test("texts() throws an error that names the limits when the texts run out", () => {
  expect(() => take(500, { minLength: 12, maxLength: 13 })).toThrow(
    /Cannot make another text of 12 to 13 characters/u,
  );
});
