import TinyQueue from "tinyqueue";

import { canMerge, pairKey, type Symbols } from "./symbols.ts";

interface Pair {
  readonly left: number;
  readonly right: number;
  count: number;
  /** Positions where the pair has occurred; some may be stale. */
  positions: number[];
}

interface Candidate {
  readonly pair: Pair;
  readonly count: number;
}

const none = -1;

/**
 * Byte-pair encoding (Sennrich et al. 2016): repeatedly merges the most frequent pair of adjacent symbols, up to `maxMerges`
 * rules or until no pair occurs twice. Ties are broken by the text of the pair, so that the order of the texts does not
 * matter. Counts are updated only at the positions that a merge changes.
 */
export function learnMerges(
  symbols: Symbols,
  pieces: ReadonlyMap<string, number>,
  maxMerges: number,
): void {
  const text = linkSymbols(symbols, pieces);
  const pairs = new Map<number, Pair>();
  const queue = new TinyQueue<Candidate>([], (a, b) => b.count - a.count || byText(symbols, a, b));

  const count = (position: number, sign: 1 | -1): Pair | undefined => {
    const after = position === none ? none : text.next[position]!;
    if (after === none) return undefined;
    const [left, right] = [text.current[position]!, text.current[after]!];
    if (!canMerge(symbols, left, right)) return undefined;
    const key = pairKey(left, right);
    let pair = pairs.get(key);
    if (pair === undefined) pairs.set(key, (pair = { left, right, count: 0, positions: [] }));
    pair.count += sign * text.weight[position]!;
    if (sign > 0) pair.positions.push(position);
    return pair;
  };

  for (const position of text.current.keys()) count(position, 1);
  for (const pair of pairs.values()) queue.push({ pair, count: pair.count });

  while (symbols.merges.length < maxMerges) {
    const best = queue.pop();
    if (best === undefined || best.count < 2) return;
    const { pair } = best;
    if (pair.count !== best.count) {
      if (pair.count < best.count) queue.push({ pair, count: pair.count });
      continue;
    }
    const merged = symbols.merge(pair.left, pair.right);
    const positions = pair.positions.sort((a, b) => a - b);
    pair.positions = [];
    const changedPairs = new Set<Pair>();
    for (const position of positions) {
      const after = text.next[position]!;
      if (text.current[position] !== pair.left || text.current[after] !== pair.right) continue;
      const before = text.previous[position]!;
      for (const place of [before, position, after]) count(place, -1);
      text.current[position] = merged;
      text.current[after] = none;
      const beyond = text.next[after]!;
      text.next[position] = beyond;
      if (beyond !== none) text.previous[beyond] = position;
      for (const place of [before, position]) {
        const neighbours = count(place, 1);
        if (neighbours !== undefined) changedPairs.add(neighbours);
      }
    }
    for (const changed of changedPairs) queue.push({ pair: changed, count: changed.count });
  }
}

/** Lists the symbols of all pieces; each piece is a doubly linked list. */
function linkSymbols(symbols: Symbols, pieces: ReadonlyMap<string, number>) {
  const current: number[] = [];
  const next: number[] = [];
  const previous: number[] = [];
  const weight: number[] = [];
  for (const [piece, occurrences] of pieces) {
    const spelling = symbols.spell(piece);
    for (const [index, symbol] of spelling.entries()) {
      const position = current.push(symbol) - 1;
      next.push(index === spelling.length - 1 ? none : position + 1);
      previous.push(index === 0 ? none : position - 1);
      weight.push(occurrences);
    }
  }
  return { current, next, previous, weight };
}

function byText({ texts }: Symbols, a: Candidate, b: Candidate): number {
  return (
    compare(texts[a.pair.left]!, texts[b.pair.left]!) ||
    compare(texts[a.pair.right]!, texts[b.pair.right]!)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
