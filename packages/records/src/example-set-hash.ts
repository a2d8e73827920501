import { contentHash } from "@envs/core/engine";

/** The hash of a set of example keys: runs with equal hashes were played on the same examples. */
export function exampleSetHash(keys: Iterable<string>): string {
  return contentHash([...new Set(keys)].toSorted());
}
