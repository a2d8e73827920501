import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";

import type { Database, Tables } from "../platform/database/tables.ts";
import { type FacetValues, sampleFacetValues } from "./facets.ts";
import { filterOf } from "./filter.ts";
import type { SearchQuery } from "./search-query.ts";
import { similarWords } from "./spelling.ts";
import { runsOf } from "./summaries.ts";
import { exactQuery, fuzzyQuery, type WordQuery } from "./word-query.ts";
import { queryWords } from "./words.ts";

/** The packages that match a search. */
export interface PackageMatches {
  /** Package ids of the requested page, in order. */
  readonly ids: readonly number[];
  /** Matches on all pages. */
  readonly total: number;
  /** Whether no package contains the words, so that the result contains packages with similar words. */
  readonly isApproximate: boolean;
  /** Empty unless the query has `sampleFacets`. */
  readonly facetSample: readonly FacetValues[];
}

/** The maximum length of a query; the rest is ignored. */
const maxQueryLength = 1000;
const maxWords = 12;
const maxWordLength = 40;

/** Finds packages by the words of the query's text, or lists packages if it has no words. */
export async function findPackages(
  database: Database,
  query: SearchQuery,
): Promise<PackageMatches> {
  const words = queryWords(query.text.slice(0, maxQueryLength))
    .slice(0, maxWords)
    .map((word) => word.slice(0, maxWordLength));
  if (words.length === 0) return { ...(await match(database, query)), isApproximate: false };
  const exact = await match(database, query, exactQuery(words));
  const similar = exact.total > 0 ? undefined : await similarWords(database, words);
  if (similar === undefined) return { ...exact, isApproximate: false };
  const fuzzy = await match(database, query, fuzzyQuery(similar));
  return { ...fuzzy, isApproximate: fuzzy.total > 0 };
}

async function match(
  database: Database,
  query: SearchQuery,
  words?: WordQuery,
): Promise<Omit<PackageMatches, "isApproximate">> {
  const { offset, limit, countTotal = true } = query;
  const matches = database
    .selectFrom("search_entries")
    .where(filterOf(query))
    .where(words === undefined ? sql.lit(true) : sql<boolean>`text @@ ${words.match}`);
  const isRanked = words !== undefined && query.sort === "relevance";
  const page = await matches
    .orderBy(orderOf(query, words))
    .limit(limit)
    .offset(offset)
    .select("package_id")
    // A rank reads all matches, and an index gives the order of the other lists.
    .$if(isRanked, (select) => select.select(sql<number>`count(*) over ()`.as("matches")))
    .execute();
  const ids = page.map(({ package_id }) => package_id);
  const isLastPage = ids.length < limit && (ids.length > 0 || offset === 0);
  const counted = isLastPage || !countTotal ? offset + ids.length : page[0]?.matches;
  const needsSample = query.sampleFacets === true && ids.length > 0;
  return {
    ids,
    total: counted ?? (await countOf(matches)),
    facetSample: needsSample ? await sampleFacetValues(database, matches) : [],
  };
}

async function countOf(
  matches: SelectQueryBuilder<Tables, "search_entries", Record<never, never>>,
): Promise<number> {
  const { total } = await matches
    .select((row) => row.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/** The SQL order. It ends with the unique name, so that pages neither repeat nor omit a result. */
function orderOf({ sort, text }: SearchQuery, words: WordQuery | undefined): RawBuilder<unknown> {
  switch (sort) {
    case "name":
      return sql`name`;
    case "recent":
      return sql`published_at desc, name`;
    case "trainings":
      return sql`is_archived, ${runsOf("training")} desc, downloads desc, name`;
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

/** The relevance: an exact name comes first, then the text rank, which popularity raises by up to about half. */
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
