import { sha256 } from "@noble/hashes/sha2.js";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

/** The seed of a stream of random numbers: any JSON without objects. */
export type Seed = string | number | boolean | null | readonly Seed[];

/** A stream of random numbers. The same seed gives the same stream on every machine. */
export interface Random {
  /** Returns a number of at least 0 and below 1, with 53 random bits. */
  next(): number;
  /** Returns a whole number of at least 0 and below `bound`. */
  int(bound: number): number;
  /** Returns one of `items`, all with the same probability. Throws a `RangeError` if `items` is empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** Returns a shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
  /** Creates an independent stream for `key`. It does not depend on how many numbers were drawn from this one. */
  for(...key: readonly Seed[]): Random;
}

/** Creates the stream of random numbers of a seed. */
export function random(...seed: readonly Seed[]): Random {
  let generator: RandomGenerator | undefined;
  const source = (): RandomGenerator => (generator ??= createGenerator(seed));

  const next = (): number => {
    const high = source().next() >>> 5;
    const low = source().next() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  };
  const int = (bound: number): number => {
    if (!Number.isSafeInteger(bound) || bound < 1)
      throw new RangeError(`random.int() requires a whole number of at least 1, not ${bound}.`);
    return uniformInt(source(), 0, bound - 1);
  };
  return {
    next,
    int,
    pick(items) {
      if (items.length === 0) throw new RangeError("random.pick() requires at least one item.");
      return items[int(items.length)]!;
    },
    shuffle(items) {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = int(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
      }
      return shuffled;
    },
    for: (...key) => random(seed, key),
  };
}

/** Hashes the seed. Called at the first draw, so that unused streams cost nothing. */
function createGenerator(seed: readonly Seed[]): RandomGenerator {
  const digest = sha256(new TextEncoder().encode(JSON.stringify(seed)));
  const view = new DataView(digest.buffer, digest.byteOffset);
  return xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => view.getInt32(offset)));
}
