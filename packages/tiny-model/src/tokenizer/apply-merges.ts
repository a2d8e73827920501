import TinyQueue from "tinyqueue";

import type { Symbols } from "./symbols.ts";

/** A queue entry is `rank * maxPositions + position`. */
const maxPositions = 2 ** 31;

/**
 * Merges adjacent symbols until no rule applies: lowest rank first, then left to right. Takes O(n log n) time, with a heap
 * of the positions where a rule applies.
 */
export function applyMerges(symbols: Symbols, piece: readonly number[]): number[] {
  const current = [...piece];
  const next = current.map((_, index) => index + 1);
  const previous = current.map((_, index) => index - 1);
  const queue = new TinyQueue<number>();

  const enqueue = (position: number): void => {
    const after = next[position] ?? current.length;
    if (position < 0 || after >= current.length) return;
    const rule = symbols.rule(current[position]!, current[after]!);
    if (rule !== undefined) queue.push(rule.rank * maxPositions + position);
  };

  for (const position of current.keys()) enqueue(position);
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
    const position = entry % maxPositions;
    const after = next[position]!;
    if (current[position] === absorbed || after >= current.length) continue;
    const rule = symbols.rule(current[position]!, current[after]!);
    if (rule === undefined || rule.rank !== Math.floor(entry / maxPositions)) continue;
    current[position] = rule.result;
    current[after] = absorbed;
    const beyond = next[after]!;
    next[position] = beyond;
    if (beyond < current.length) previous[beyond] = position;
    enqueue(previous[position]!);
    enqueue(position);
  }
  return current.filter((symbol) => symbol !== absorbed);
}

const absorbed = -1;
