import { distance } from "fastest-levenshtein";
import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

/** Stores words to suggest for misspelled ones. Callers exclude private packages, whose words a search would reveal. */
export async function addSuggestions(database: Database, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  await sql`
    insert into search_words (word) select unnest(${words.toSorted()}::text[]) on conflict do nothing
  `.execute(database);
}

/** A word of a query, and similar words of the index. */
export interface SimilarWords {
  readonly word: string;
  readonly alternatives: readonly string[];
}

/** Words below this trigram similarity are not compared by their letters. */
const minCandidateSimilarity = 0.2;
const maxCandidates = 60;
const maxAlternatives = 5;

/**
 * Finds the words that a misspelled one may stand for; `undefined` if no word has similar ones. The index of trigrams selects
 * candidates; because a short word shares few trigrams with its misspelling, the edit distance decides.
 */
export async function similarWords(
  database: Database,
  words: readonly string[],
): Promise<readonly SimilarWords[] | undefined> {
  const { rows } = await sql<Candidate>`
    with threshold as materialized (
      select set_config('pg_trgm.similarity_threshold', ${String(minCandidateSimilarity)}, true)
    )
    select queried, word, similarity
    from threshold cross join unnest(${[...words]}::text[]) as queried
    cross join lateral (
      select word, similarity(word, queried) as similarity
      from search_words where word % queried
      order by similarity desc, word limit ${maxCandidates}
    ) as matches`.execute(database);
  const similar = words.map((word) => ({
    word,
    alternatives: closest(
      word,
      rows.filter(({ queried }) => queried === word),
    ),
  }));
  return similar.some(({ alternatives }) => alternatives.length > 0) ? similar : undefined;
}

interface Candidate {
  readonly queried: string;
  readonly word: string;
  readonly similarity: number;
}

/** The candidates with the fewest edits, in the order of their similarity. */
function closest(queried: string, candidates: readonly Candidate[]): readonly string[] {
  const edits = candidates.map(({ word }) => ({ word, count: distance(word, queried) }));
  const fewest = Math.min(...edits.map(({ count }) => count));
  if (fewest > maxEdits(queried)) return [];
  const best = edits.filter(({ count }) => count === fewest);
  return best.slice(0, maxAlternatives).map(({ word }) => word);
}

function maxEdits({ length }: string): number {
  if (length < 5) return 1;
  return length < 10 ? 2 : 3;
}
