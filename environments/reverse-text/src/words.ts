import type { RandomSource } from "./narrator.ts";

const consonants = Array.from("bcdfghjklmnprstvwz");
const vowels = Array.from("aeiou");

/** Makes a word without meaning, `length` letters long, alternating consonants and vowels. */
export function pseudoword(length: number, random: RandomSource): string {
  const isVowelFirst = random.next() < 0.5;
  return Array.from({ length }, (_, index) =>
    random.pick((index % 2 === 0) === isVowelFirst ? vowels : consonants),
  ).join("");
}
