import { type Guess, isConsistent, marksOf } from "./marks.ts";
import { wordList } from "./words.ts";

/** The maximum number of candidates that the solver compares. */
const maxCompared = 120;

const openings = new Map<number, string>();

/** The common words that could be the hidden one. */
export function candidates(letters: number, guesses: readonly Guess[]): readonly string[] {
  return wordList(letters).secrets.filter((word) => isConsistent(word, guesses));
}

/** The candidate after which the fewest candidates remain on average. Legal in hard mode too. */
export function mostInformative(letters: number, guesses: readonly Guess[]): string {
  const opening = openings.get(letters);
  if (guesses.length === 0 && opening !== undefined) return opening;
  const possible = candidates(letters, guesses);
  const [best = ""] = withCommonLetters(possible)
    .map((word) => ({ word, remaining: expectedRemaining(word, possible) }))
    .toSorted((a, b) => a.remaining - b.remaining)
    .map(({ word }) => word);
  if (guesses.length === 0) openings.set(letters, best);
  return best;
}

function expectedRemaining(word: string, possible: readonly string[]): number {
  const groups = Map.groupBy(possible, (secret) => marksOf(word, secret));
  const squares = [...groups].map(([, { length }]) => length ** 2);
  return squares.reduce((sum, square) => sum + square, 0) / possible.length;
}

/** The words whose different letters occur in the most words, because comparing all of them takes seconds. */
function withCommonLetters(words: readonly string[]): readonly string[] {
  if (words.length <= maxCompared) return words;
  const uses = new Map<string, number>();
  for (const letter of words.flatMap((word) => [...new Set(word)]))
    uses.set(letter, (uses.get(letter) ?? 0) + 1);
  const rank = (word: string): number =>
    [...new Set(word)].reduce((sum, letter) => sum + (uses.get(letter) ?? 0), 0);
  return words.toSorted((a, b) => rank(b) - rank(a)).slice(0, maxCompared);
}
