import { type RawBuilder, sql } from "kysely";

import type { SimilarWords } from "./spelling.ts";

/** Full-text queries of PostgreSQL: `match` selects entries, `rank` orders them. */
export interface WordQuery {
  readonly match: RawBuilder<unknown>;
  readonly rank: RawBuilder<unknown>;
}

/** Matches entries with all words. The last one can be a prefix, because the user may still be typing. */
export function exactQuery(words: readonly string[]): WordQuery {
  const whole = words.slice(0, -1).map((word) => quoted(word));
  const last = prefixOf(words.at(-1) ?? "");
  if (whole.length === 0) {
    const match = evaluatedOnce(sql`${english(last)} || ${simple(last)}`);
    return { match, rank: match };
  }
  // The index contains names without stemming, and also `tic-tac-toe` as one word.
  const joined = simple(prefixOf(words.join("")));
  const all = [...whole, last];
  return {
    match: evaluatedOnce(
      sql`${english(all.join(" & "))} || (${english(whole.join(" & "))} && ${simple(last)}) || ${joined}`,
    ),
    rank: evaluatedOnce(sql`${english(all.join(" | "))} || ${simple(last)} || ${joined}`),
  };
}

/** Matches entries with each word or one of its alternatives. */
export function fuzzyQuery(words: readonly SimilarWords[]): WordQuery {
  const alternatives = words.map(({ word, alternatives: similar }) =>
    [prefixOf(word), ...similar.map((other) => quoted(other))].join(" | "),
  );
  return {
    match: evaluatedOnce(
      english(alternatives.map((alternative) => `(${alternative})`).join(" & ")),
    ),
    rank: evaluatedOnce(english(alternatives.join(" | "))),
  };
}

/**
 * Wraps the query in a subselect, which runs once; otherwise a prepared statement parses the words for each row. It also
 * hides the words from the planner, which would choose a sequential scan for frequent words, because it underestimates
 * the cost of decompressing the text of each row.
 */
function evaluatedOnce(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select ${query})`;
}

/** Needs no escaping, because words contain only letters and digits. */
function quoted(word: string): string {
  return `'${word}'`;
}

/** Matches a single letter as a word, because it is a prefix of almost everything. */
function prefixOf(word: string): string {
  return word.length > 1 ? `'${word}':*` : quoted(word);
}

function english(query: string): RawBuilder<unknown> {
  return sql`to_tsquery('english', ${query})`;
}

function simple(query: string): RawBuilder<unknown> {
  return sql`to_tsquery('simple', ${query})`;
}
