import { type RawBuilder, sql } from "kysely";

import type { Wanted } from "./wanted.ts";
import type { WordQuery } from "./word-query.ts";

/** The order of results. It is total, so that pages neither repeat nor lose one. */
export function orderOf({ sort, text }: Wanted, words: WordQuery | undefined): RawBuilder<unknown> {
  switch (sort) {
    case "name":
      return sql`name`;
    case "recent":
      return sql`published_at desc, name`;
    case "stars":
      return sql`is_archived, stars desc, downloads desc, name`;
    case "downloads":
      return sql`is_archived, downloads desc, name`;
    case "relevance":
      return words === undefined
        ? sql`is_archived, downloads desc, name`
        : sql`is_archived, ${relevance(words, text)} desc, name`;
  }
}

/** The name alone beats everything; then, how much the words weigh, half as much again for what everybody uses. */
function relevance({ rank }: WordQuery, text: string): RawBuilder<unknown> {
  const name = text
    .replaceAll(/\p{Cc}/gu, "")
    .trim()
    .toLowerCase();
  return sql`
    case when name = ${name} then 2 when split_part(name, '/', 2) = ${name} then 1 else 0 end
    + (ts_rank('{0, 0.2, 0.4, 1}', words, ${rank}) + 0.01)
      * (1 + ln((1 + downloads + 10 * stars)::float8) / 25)
      * case when deprecated is null then 1 else 0.5 end`;
}
