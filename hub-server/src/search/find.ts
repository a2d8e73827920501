import { type SelectQueryBuilder, sql } from "kysely";

import type { Database } from "../platform/database/connect.ts";
import type { Tables } from "../platform/database/tables.ts";
import { conditionsOf } from "./conditions.ts";
import { orderOf } from "./order.ts";
import { speltAlike } from "./spelling.ts";
import type { Wanted } from "./wanted.ts";
import { exactly, roughly, type WordQuery } from "./word-query.ts";
import { queryWords } from "./words.ts";

/** What a search found. */
export interface Findings {
  /** The page that was wanted, in its order. */
  readonly ids: readonly number[];
  readonly total: number;
  /** Nothing has the words; these have words that are spelt alike. */
  readonly isApproximate: boolean;
  /** What some of the results, or all, may be narrowed by; empty unless it was wanted. */
  readonly sample: readonly Narrowing[];
}

/** By what one may narrow results: owner, kind, tags, tools. */
export type Narrowing = readonly [string, string | null, readonly string[], readonly string[]];

/** Nobody asks with more; who does anyway asks with the first of them. */
const most = { letters: 1000, words: 12, lettersOfWord: 40, sample: 1000 } as const;

/** Finds packages by words, or lists them where there are none. */
export async function find(database: Database, wanted: Wanted): Promise<Findings> {
  const words = queryWords(wanted.text.slice(0, most.letters))
    .slice(0, most.words)
    .map((word) => word.slice(0, most.lettersOfWord));
  if (words.length === 0) return { ...(await results(database, wanted)), isApproximate: false };
  const exact = await results(database, wanted, exactly(words));
  const alike = exact.total > 0 ? undefined : await speltAlike(database, words);
  if (alike === undefined) return { ...exact, isApproximate: false };
  const rough = await results(database, wanted, roughly(alike));
  return { ...rough, isApproximate: rough.total > 0 };
}

async function results(
  database: Database,
  wanted: Wanted,
  words?: WordQuery,
): Promise<Omit<Findings, "isApproximate">> {
  const { offset, limit } = wanted;
  const matching = database
    .selectFrom("search_entries")
    .where(conditionsOf(wanted))
    .where(words === undefined ? sql.lit(true) : sql<boolean>`text @@ ${words.match}`);
  const page = await matching
    .orderBy(orderOf(wanted, words))
    .limit(limit)
    .offset(offset)
    .select("package_id")
    .execute();
  const ids = page.map(({ package_id }) => package_id);
  const isLast = ids.length < limit && (ids.length > 0 || offset === 0);
  return {
    ids,
    total: isLast ? offset + ids.length : await countOf(matching),
    sample: wanted.sample === true && ids.length > 0 ? await sampleOf(database, matching) : [],
  };
}

type Matching = SelectQueryBuilder<Tables, "search_entries", Record<never, never>>;

async function countOf(matching: Matching): Promise<number> {
  const { total } = await matching
    .select((row) => row.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/** They come as one value: to read a thousand rows of lists costs more than to find them. */
async function sampleOf(database: Database, matching: Matching): Promise<readonly Narrowing[]> {
  const some = matching.limit(most.sample).select(["owner", "kind", "tags", "tools"]);
  const { sample } = await database
    .selectFrom(some.as("some"))
    .select(sql<Narrowing[]>`json_agg(json_build_array(owner, kind, tags, tools))`.as("sample"))
    .executeTakeFirstOrThrow();
  return sample;
}
