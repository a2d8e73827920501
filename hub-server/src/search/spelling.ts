import type { Database } from "../database/connect.ts";

/** Notes words that a misspelt one may stand for. Those of private packages stay out: a search would tell of them. */
export async function learnSpelling(database: Database, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await database
    .insertInto("search_words")
    .values(words.toSorted().map((word) => ({ word })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
