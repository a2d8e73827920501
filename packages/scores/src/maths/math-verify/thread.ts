import { zstdDecompressSync } from "node:zlib";

import { cacheFolder, readSnapshot, readWheels } from "./cache.ts";
import { type Python, restorePython } from "./python.ts";

/** Two answers, of which the second is right. */
export interface Pair {
  readonly answer: string;
  readonly reference: string;
}

/** Above this size, Python starts again after a comparison: sympy's caches grow, and memory never shrinks. */
const highMemory = 256 * 1024 ** 2;

// Starts Python before the first comparison, whose time limit must not include the start.
let python: Python | undefined = await restore();

/** Compares two answers by Math-Verify. If Python itself fails, such as by a full stack, they are not the same. */
export async function compare({ answer, reference }: Pair): Promise<boolean> {
  python ??= await restore();
  const { same, memory } = python;
  try {
    const verdict = same(answer.toWellFormed(), reference.toWellFormed());
    if (memory() > highMemory) python = undefined;
    return verdict;
  } catch {
    python = undefined;
    return false;
  }
}

function restore(): Promise<Python> {
  const folder = cacheFolder();
  return restorePython(zstdDecompressSync(readSnapshot(folder)), readWheels(folder));
}
