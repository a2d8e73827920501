import type { Dice } from "./narrator.ts";

const consonants = Array.from("bcdfghjklmnprstvwz");
const vowels = Array.from("aeiou");

/** A word that means nothing, of so many letters: consonants and vowels take turns. */
export function madeUpWord(length: number, dice: Dice): string {
  const isVowelFirst = dice.next() < 0.5;
  return Array.from({ length }, (_, place) =>
    dice.pick((place % 2 === 0) === isVowelFirst ? vowels : consonants),
  ).join("");
}
