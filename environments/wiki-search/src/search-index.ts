import MiniSearch from "minisearch";

import { fold } from "./fold.ts";

/** A document to index. */
export interface Searchable {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** Stop words: they are in most documents, so they do not help to rank and only cost time. */
const stopWords = new Set(
  "a an and are as at by does for how in is it many of on or the to what where which with".split(
    " ",
  ),
);

/**
 * Ranks documents by BM25+ over titles (with a boost of 3) and texts. A query word that is not in any document matches
 * words with that prefix and words within an edit distance of 20 % of its length.
 */
export function searchIndex(documents: Iterable<Searchable>): (query: string) => readonly string[] {
  const words = new Set<string>();
  const processTerm = (term: string): string | null => {
    const folded = fold(term);
    return stopWords.has(folded) ? null : folded;
  };
  const index = new MiniSearch<Searchable>({
    fields: ["title", "text"],
    processTerm: (term) => {
      const processed = processTerm(term);
      if (processed !== null) words.add(processed);
      return processed;
    },
  });
  for (const document of documents) index.add(document);

  const isUnknown = (term: string): boolean => !words.has(term);
  return (query) =>
    index
      .search(query, {
        boost: { title: 3 },
        processTerm,
        prefix: isUnknown,
        fuzzy: (term) => (isUnknown(term) ? 0.2 : false),
      })
      .map((hit): string => hit.id);
}
