/** A source of random numbers, such as an environment's `random`. */
interface RandomSource {
  int(bound: number): number;
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/** Creates a word of random lowercase letters. */
export function randomWord(length: number, random: RandomSource): string {
  return Array.from({ length }, () => letters[random.int(letters.length)]).join("");
}

/** Counts the occurrences of `letter` in `word`. */
export function countLetter(word: string, letter: string): number {
  return word.split(letter).length - 1;
}
