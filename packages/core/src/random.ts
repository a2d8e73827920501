import { sha256 } from "@noble/hashes/sha2.js";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

/** What a stream of random numbers is keyed by: strings, numbers, or any JSON. */
export type Seed = string | number | boolean | null | readonly Seed[];

/** A stream of random numbers: the same seed gives the same stream, on every machine. */
export interface Random {
  /** The next number, at least 0 and below 1, with 53 random bits. */
  next(): number;
  /** The next whole number, at least 0 and below `bound`. */
  int(bound: number): number;
  /** One of `items`, each as likely as the others. Throws a `RangeError` if there are none. */
  pick<Item>(items: readonly Item[]): Item;
  /** A shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
  /** A stream of its own for `key`: it does not depend on how much of this one was used. */
  for(...key: readonly Seed[]): Random;
}

/** Starts the stream of random numbers that belongs to `seed`. */
export function random(...seed: readonly Seed[]): Random {
  let generator: RandomGenerator | undefined;
  const source = (): RandomGenerator => (generator ??= start(seed));

  const next = (): number => {
    const high = source().next() >>> 5;
    const low = source().next() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  };
  const int = (bound: number): number => {
    if (!Number.isSafeInteger(bound) || bound < 1)
      throw new RangeError(`random.int needs a whole number of at least 1, not ${bound}.`);
    return uniformInt(source(), 0, bound - 1);
  };
  return {
    next,
    int,
    pick(items) {
      if (items.length === 0) throw new RangeError("random.pick needs at least one item.");
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

/** The first draw pays for the hash; a stream that nobody draws from costs nothing. */
function start(seed: readonly Seed[]): RandomGenerator {
  const digest = sha256(new TextEncoder().encode(JSON.stringify(seed)));
  const view = new DataView(digest.buffer, digest.byteOffset);
  return xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => view.getInt32(offset)));
}
