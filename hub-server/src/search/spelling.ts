import { sql } from "kysely";

import type { Database } from "../platform/database/connect.ts";

/** Stores words to suggest for misspelled ones. Callers exclude private packages, whose words a search would reveal. */
export async function addSuggestions(database: Database, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await database
    .insertInto("search_words")
    .values(words.toSorted().map((word) => ({ word })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A word of a query, and similar words of the index. */
export interface SimilarWords {
  readonly word: string;
  readonly alternatives: readonly string[];
}

/** Below this trigram similarity, matches are accidental. */
const minSimilarity = 0.35;
/** Drops alternatives that are less similar than the best one by more than this. */
const maxDifference = 0.1;

/** Finds the most similar words for each word; `undefined` if no word has any. */
export async function similarWords(
  database: Database,
  words: readonly string[],
): Promise<readonly SimilarWords[] | undefined> {
  const { rows } = await sql<{ queried: string; word: string; similarity: number }>`
    select queried, word, similarity
    from unnest(${[...words]}::text[]) as queried
    cross join lateral (
      select word, similarity(word, queried) as similarity
      from search_words where word % queried
      order by similarity desc, word limit 5
    ) as matches`.execute(database);
  const close = rows.filter(({ similarity }) => similarity >= minSimilarity);
  if (close.length === 0) return undefined;
  return words.map((word) => {
    const matches = close.filter(({ queried }) => queried === word);
    const best = Math.max(...matches.map(({ similarity }) => similarity));
    const alternatives = matches.filter(({ similarity }) => similarity >= best - maxDifference);
    return { word, alternatives: alternatives.map((alternative) => alternative.word) };
  });
}
