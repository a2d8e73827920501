/**
 * Sentence templates about one subject. `{dish}` becomes a random word of the list `dish`, the same through the whole
 * text; `{dish2}` is a second word of the list, and `{Dish}` is the first one capitalized.
 */
export interface Scene {
  /** Complete texts of a few words. */
  readonly short: readonly string[];
  /** Sentences that can stand alone or begin a paragraph. */
  readonly opening: readonly string[];
  /** Sentences that continue a paragraph, in any order. */
  readonly middle: readonly string[];
  /** Sentences that end a paragraph. */
  readonly closing: readonly string[];
  readonly words: Words;
}

export type Words = Readonly<Record<string, readonly string[]>>;
