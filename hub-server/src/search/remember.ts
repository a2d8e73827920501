import { LRUCache } from "lru-cache";

import type { Hub } from "../platform/hub/hub.ts";
import type { Wanted } from "./wanted.ts";

/** Few answers of many results are not worth many of few. */
const mostResults = 50;
const mostAnswers = 1000;

/** Answers strangers from memory until a package changes: most of them ask the same. */
export function remembered<Answer extends object>(
  hub: Hub,
  search: (wanted: Wanted) => Promise<Answer>,
): (wanted: Wanted) => Promise<Answer> {
  const answers = new LRUCache<string, Promise<Answer>>({
    max: mostAnswers,
    // Downloads count all the time, without telling.
    ttl: 60_000,
    ttlResolution: 1000,
  });
  hub.onInvalidate(() => answers.clear());
  return (wanted) => {
    if (wanted.identity !== undefined || wanted.limit > mostResults) return search(wanted);
    const key = JSON.stringify(wanted);
    const kept = answers.get(key);
    if (kept !== undefined) return kept;
    const made = search(wanted);
    answers.set(key, made);
    made.catch(() => answers.delete(key));
    return made;
  };
}
