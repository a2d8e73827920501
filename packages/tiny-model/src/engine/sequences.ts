import { padded } from "./shape.ts";

/** The index of each token in its sequence, for concatenated sequences of these lengths. */
export function positionsOf(lengths: readonly number[]): number[] {
  return lengths.flatMap((length) => Array.from({ length }, (_, position) => position));
}

/** `first` is the index of the sequence's first token, `weight` that of its first attention weight. */
export function forEachSequence(
  lengths: readonly number[],
  heads: number,
  visit: (length: number, first: number, weight: number) => void,
): void {
  let first = 0;
  let weight = 0;
  for (const length of lengths) {
    visit(length, first, weight);
    first += length;
    weight += heads * length * padded(length);
  }
}
