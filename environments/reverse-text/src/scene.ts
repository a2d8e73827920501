/**
 * Sentences about one subject. `{word}` stands for one of the words of that name and keeps it through the whole text;
 * `{word2}` is another of the same list, and `{Word}` is the same word with a capital.
 */
export interface Scene {
  /** Complete texts of a few words. */
  readonly short: readonly string[];
  /** Sentences that can stand alone or begin a paragraph. */
  readonly opening: readonly string[];
  /** Sentences that go on, in any order. */
  readonly middle: readonly string[];
  /** Sentences that end a paragraph. */
  readonly closing: readonly string[];
  readonly words: Words;
}

export type Words = Readonly<Record<string, readonly string[]>>;
