import { type RawBuilder, sql } from "kysely";

import type { Alike } from "./spelling.ts";

/** A query of words for PostgreSQL: what an entry must have, and what makes it rank. */
export interface WordQuery {
  readonly match: RawBuilder<unknown>;
  readonly rank: RawBuilder<unknown>;
}

/** Whatever has all of the words; the last may be the beginning of one, as while somebody types. */
export function exactly(words: readonly string[]): WordQuery {
  const whole = words.slice(0, -1).map((word) => quoted(word));
  const last = begun(words.at(-1) ?? "");
  if (whole.length === 0) {
    const match = once(sql`${english(last)} || ${simple(last)}`);
    return { match, rank: match };
  }
  // Names stand in the index as they are written, and `tic-tac-toe` as one word, too.
  const joined = simple(begun(words.join("")));
  const all = [...whole, last];
  return {
    match: once(
      sql`${english(all.join(" & "))} || (${english(whole.join(" & "))} && ${simple(last)}) || ${joined}`,
    ),
    rank: once(sql`${english(all.join(" | "))} || ${simple(last)} || ${joined}`),
  };
}

/** Whatever has, for each word, that or one that is spelt alike. */
export function roughly(words: readonly Alike[]): WordQuery {
  const each = words.map(({ word, others }) =>
    [begun(word), ...others.map((other) => quoted(other))].join(" | "),
  );
  return {
    match: once(english(each.map((alternatives) => `(${alternatives})`).join(" & "))),
    rank: once(english(each.join(" | "))),
  };
}

/**
 * As a query of its own, which runs once: a prepared statement would parse the words for each row. Nor does the planner
 * look into it; where many rows have a word, it takes reading all of them for cheap, not knowing what it costs to unpack
 * their words.
 */
function once(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select ${query})`;
}

/** Words are letters and digits, so nothing in them can end the quotation. */
function quoted(word: string): string {
  return `'${word}'`;
}

/** One letter begins almost everything. */
function begun(word: string): string {
  return word.length > 1 ? `'${word}':*` : quoted(word);
}

function english(query: string): RawBuilder<unknown> {
  return sql`to_tsquery('english', ${query})`;
}

function simple(query: string): RawBuilder<unknown> {
  return sql`to_tsquery('simple', ${query})`;
}
