import TinyQueue from "tinyqueue";

import type { Symbols } from "./symbols.ts";

/** A merged symbol, and how many tokens the text would have more without an id for it. */
interface Valued {
  readonly symbol: number;
  readonly worth: number;
}

/**
 * Vocabulary trimming (Cognetta et al. 2024): which merged symbols get an id, so that a text takes few tokens. A symbol
 * without one is written as its parts, so that it is worth
 *
 *     occurrences · (tokens that its parts take − 1)
 *
 * where occurrences inside trimmed symbols count, too. The least worth goes, until `room` are left; then trimmed symbols
 * come back in exchange for others for as long as that saves tokens.
 *
 * @param occurrences - How often each symbol stands in the merged text.
 */
export function chooseTokens(
  symbols: Symbols,
  occurrences: readonly number[],
  room: number,
): ReadonlySet<number> {
  const merged = Array.from(symbols.texts.keys()).slice(symbols.firstMerged);
  const kept = new Set(merged);
  trim({ symbols, occurrences, kept }, room);
  while (exchange({ symbols, occurrences, kept }));
  return kept;
}

interface Choice {
  readonly symbols: Symbols;
  readonly occurrences: readonly number[];
  readonly kept: Set<number>;
}

function trim({ symbols, occurrences, kept }: Choice, room: number): void {
  const written = [...occurrences];
  const partsOf = (symbol: number): number[] =>
    symbols
      .parts(symbol)
      .flatMap((part) => (part < symbols.firstMerged || kept.has(part) ? part : partsOf(part)));
  const valued = (symbol: number): Valued => ({
    symbol,
    worth: written[symbol]! * (partsOf(symbol).length - 1),
  });
  const queue = new TinyQueue(
    Array.from(kept, valued),
    (a, b) => a.worth - b.worth || b.symbol - a.symbol,
  );
  while (kept.size > room) {
    const { symbol, worth } = queue.pop()!;
    // What a symbol is worth only grows while others go: if the least is up to date, it is the least of all.
    const now = valued(symbol);
    if (now.worth > worth) {
      queue.push(now);
      continue;
    }
    kept.delete(symbol);
    for (const part of partsOf(symbol)) written[part]! += written[symbol]!;
  }
}

/** Swaps the trimmed symbol of the greatest worth for the kept one of the least; false if that saves nothing. */
function exchange(choice: Choice): boolean {
  const { kept } = choice;
  const trimmed = worths(choice).filter(({ symbol }) => !kept.has(symbol));
  const best = trimmed.reduce(
    (best: Valued | undefined, next) => (best && best.worth >= next.worth ? best : next),
    undefined,
  );
  if (best === undefined) return false;
  kept.add(best.symbol);
  const others = worths(choice).filter(({ symbol }) => kept.has(symbol) && symbol !== best.symbol);
  const least = others.reduce(
    (least: Valued | undefined, next) => (least && least.worth <= next.worth ? least : next),
    undefined,
  );
  const saves = least !== undefined && least.worth < best.worth;
  kept.delete(saves ? least.symbol : best.symbol);
  return saves;
}

function worths({ symbols, occurrences, kept }: Choice): Valued[] {
  const { firstMerged, texts } = symbols;
  const lengths = texts.map(() => 1);
  const written = [...occurrences];
  const partsLength = (symbol: number): number => {
    const [left, right] = symbols.parts(symbol);
    return lengths[left]! + lengths[right]!;
  };
  for (let symbol = firstMerged; symbol < texts.length; symbol += 1)
    if (!kept.has(symbol)) lengths[symbol] = partsLength(symbol);
  for (let symbol = texts.length - 1; symbol >= firstMerged; symbol -= 1)
    if (!kept.has(symbol))
      for (const part of symbols.parts(symbol)) written[part]! += written[symbol]!;
  return lengths.slice(firstMerged).map((_, index) => {
    const symbol = firstMerged + index;
    return { symbol, worth: written[symbol]! * (partsLength(symbol) - 1) };
  });
}
