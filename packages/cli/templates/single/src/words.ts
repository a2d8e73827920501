/** A source of random numbers, such as the `random` of an environment. */
interface Chance {
  int(bound: number): number;
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/** A made-up word. */
export function madeUpWord(length: number, chance: Chance): string {
  return Array.from({ length }, () => letters[chance.int(letters.length)]).join("");
}

/** How often `letter` occurs in `word`. */
export function countLetter(word: string, letter: string): number {
  return word.split(letter).length - 1;
}
