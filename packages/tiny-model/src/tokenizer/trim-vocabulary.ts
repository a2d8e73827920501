import TinyQueue from "tinyqueue";

import type { Symbols } from "./symbols.ts";

/** A merged symbol, and how many more tokens the texts would need without an id for it. */
interface SymbolSaving {
  readonly symbol: number;
  readonly saving: number;
}

/**
 * Vocabulary trimming (Cognetta et al. 2024): selects the merged symbols that get an id, so that texts need few tokens. A
 * symbol without an id is encoded as its parts. An id for a symbol therefore saves
 *
 *     occurrences · (tokens of its parts − 1)
 *
 * tokens, where occurrences inside trimmed symbols count too. Trims the symbols with the smallest saving until `size` are
 * left, then swaps trimmed symbols for remaining ones while that saves tokens.
 *
 * @param occurrences - The number of occurrences of each symbol in the merged texts.
 */
export function trimVocabulary(
  symbols: Symbols,
  occurrences: readonly number[],
  size: number,
): ReadonlySet<number> {
  const merged = Array.from(symbols.texts.keys()).slice(symbols.firstMerged);
  const vocabulary = { symbols, occurrences, withId: new Set(merged) };
  trim(vocabulary, size);
  while (swap(vocabulary));
  return vocabulary.withId;
}

interface Vocabulary {
  readonly symbols: Symbols;
  readonly occurrences: readonly number[];
  /** Merged symbols that have an id. */
  readonly withId: Set<number>;
}

function trim({ symbols, occurrences, withId }: Vocabulary, size: number): void {
  const counts = [...occurrences];
  const partsOf = (symbol: number): number[] =>
    symbols
      .parts(symbol)
      .flatMap((part) => (part < symbols.firstMerged || withId.has(part) ? part : partsOf(part)));
  const savingOf = (symbol: number): SymbolSaving => ({
    symbol,
    saving: counts[symbol]! * (partsOf(symbol).length - 1),
  });
  const queue = new TinyQueue(
    Array.from(withId, savingOf),
    (a, b) => a.saving - b.saving || b.symbol - a.symbol,
  );
  while (withId.size > size) {
    const { symbol, saving } = queue.pop()!;
    // Savings only grow while other symbols are trimmed: if the smallest entry is up to date, no other is smaller.
    const current = savingOf(symbol);
    if (current.saving > saving) {
      queue.push(current);
      continue;
    }
    withId.delete(symbol);
    for (const part of partsOf(symbol)) counts[part]! += counts[symbol]!;
  }
}

/** Swaps the trimmed symbol of the largest saving for the remaining one of the smallest; returns false if that saves nothing. */
function swap(vocabulary: Vocabulary): boolean {
  const { withId } = vocabulary;
  const trimmed = savingsOf(vocabulary).filter(({ symbol }) => !withId.has(symbol));
  const best = trimmed.reduce(
    (best: SymbolSaving | undefined, next) => (best && best.saving >= next.saving ? best : next),
    undefined,
  );
  if (best === undefined) return false;
  withId.add(best.symbol);
  const others = savingsOf(vocabulary).filter(
    ({ symbol }) => withId.has(symbol) && symbol !== best.symbol,
  );
  const least = others.reduce(
    (least: SymbolSaving | undefined, next) =>
      least && least.saving <= next.saving ? least : next,
    undefined,
  );
  const isBetter = least !== undefined && least.saving < best.saving;
  withId.delete(isBetter ? least.symbol : best.symbol);
  return isBetter;
}

function savingsOf({ symbols, occurrences, withId }: Vocabulary): SymbolSaving[] {
  const { firstMerged, texts } = symbols;
  const lengths = texts.map(() => 1);
  const counts = [...occurrences];
  const partsLength = (symbol: number): number => {
    const [left, right] = symbols.parts(symbol);
    return lengths[left]! + lengths[right]!;
  };
  for (let symbol = firstMerged; symbol < texts.length; symbol += 1)
    if (!withId.has(symbol)) lengths[symbol] = partsLength(symbol);
  for (let symbol = texts.length - 1; symbol >= firstMerged; symbol -= 1)
    if (!withId.has(symbol))
      for (const part of symbols.parts(symbol)) counts[part]! += counts[symbol]!;
  return lengths.slice(firstMerged).map((_, index) => {
    const symbol = firstMerged + index;
    return { symbol, saving: counts[symbol]! * (partsLength(symbol) - 1) };
  });
}
