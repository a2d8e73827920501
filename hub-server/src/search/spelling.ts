import { sql } from "kysely";

import type { Database } from "../platform/database/connect.ts";

/** Notes words that a misspelt one may stand for. Those of private packages stay out: a search would tell of them. */
export async function learnSpelling(database: Database, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await database
    .insertInto("search_words")
    .values(words.toSorted().map((word) => ({ word })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A word, and known ones that it may be meant for. */
export interface Alike {
  readonly word: string;
  readonly others: readonly string[];
}

/** Less is chance; and who is much less alike than another is not meant. */
const least = 0.35;
const within = 0.1;

/** For each word those that are spelt most like it; undefined if there are none for any. */
export async function speltAlike(
  database: Database,
  words: readonly string[],
): Promise<readonly Alike[] | undefined> {
  const { rows } = await sql<{ asked: string; word: string; likeness: number }>`
    select asked, word, likeness
    from unnest(${[...words]}::text[]) as asked
    cross join lateral (
      select word, similarity(word, asked) as likeness
      from search_words where word % asked
      order by likeness desc, word limit 5
    ) as known`.execute(database);
  const close = rows.filter(({ likeness }) => likeness >= least);
  if (close.length === 0) return undefined;
  return words.map((word) => {
    const known = close.filter(({ asked }) => asked === word);
    const most = Math.max(...known.map(({ likeness }) => likeness));
    const others = known.filter(({ likeness }) => likeness >= most - within);
    return { word, others: others.map((other) => other.word) };
  });
}
