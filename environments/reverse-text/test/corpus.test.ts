import { random } from "@envs/core";
import fc from "fast-check";
import { expect, test } from "vitest";

import { type Lengths, scenes, texts } from "../src/corpus.ts";
import { commonWords } from "../src/scenes/everyone.ts";

function take(count: number, lengths: Lengths, seed = 0): string[] {
  return texts(lengths, random(seed)).take(count).toArray();
}

const usual = { minLength: 10, maxLength: 400 };

test("5000 texts are all different", () => {
  expect(new Set(take(5000, usual)).size).toBe(5000);
});

test("texts are of all lengths, from a few words to a paragraph", () => {
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

test("every text keeps to the limits, whatever they are", () => {
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

test("a text begins with a capital, a quotation mark or a digit, ends as sentences do, and has no slot left", () => {
  for (const text of take(3000, { minLength: 1, maxLength: 600 })) {
    expect(text).toMatch(/^[\p{Lu}"\d]/u);
    expect(text).toMatch(/[.!?"]$/u);
    expect(text).not.toMatch(/[{}]|undefined|\s{2}|\ba [aeiou]/u);
  }
});

test("nobody is called she or he before being named", () => {
  for (const text of take(3000, usual)) {
    const pronoun = text.search(/\b(?:She|she|He|he|her|his)\b/u);
    if (pronoun === -1) continue;
    expect(text.slice(0, pronoun)).toMatch(/\p{Lu}\p{Ll}/u);
  }
});

test("every slot of every scene has words, as many as its templates ask for", () => {
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

test("the same seed gives the same texts, another seed others", () => {
  expect(take(50, usual, 1)).toEqual(take(50, usual, 1));
  expect(take(50, usual, 1)).not.toEqual(take(50, usual, 2));
});

test("limits that leave no text to tell are named", () => {
  expect(() => take(500, { minLength: 12, maxLength: 13 })).toThrow(
    /there is no other of 12 to 13 characters/u,
  );
});
