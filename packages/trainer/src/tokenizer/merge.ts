import TinyQueue from "tinyqueue";

import type { Symbols } from "./symbols.ts";

const positions = 2 ** 31;

/**
 * Merges neighbours until no rule applies: the rule of the lowest rank first, from left to right. A heap of the places
 * where a rule applies makes it n log n, however long the piece.
 */
export function mergeAll(symbols: Symbols, piece: readonly number[]): number[] {
  const current = [...piece];
  const next = current.map((_, index) => index + 1);
  const previous = current.map((_, index) => index - 1);
  const queue = new TinyQueue<number>();

  const offer = (position: number): void => {
    const after = next[position] ?? current.length;
    if (position < 0 || after >= current.length) return;
    const rule = symbols.rule(current[position]!, current[after]!);
    if (rule !== undefined) queue.push(rule.rank * positions + position);
  };

  for (const position of current.keys()) offer(position);
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
    const position = entry % positions;
    const after = next[position]!;
    if (current[position] === absorbed || after >= current.length) continue;
    const rule = symbols.rule(current[position]!, current[after]!);
    if (rule === undefined || rule.rank !== Math.floor(entry / positions)) continue;
    current[position] = rule.result;
    current[after] = absorbed;
    const beyond = next[after]!;
    next[position] = beyond;
    if (beyond < current.length) previous[beyond] = position;
    offer(previous[position]!);
    offer(position);
  }
  return current.filter((symbol) => symbol !== absorbed);
}

const absorbed = -1;
