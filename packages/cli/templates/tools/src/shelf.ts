/** A source of random numbers, such as an environment's `random`. */
interface RandomSource {
  int(bound: number): number;
}

/** The number of apples in each box, by the box's name. */
export type Shelf = Readonly<Record<string, number>>;

/** Creates a shelf with random numbers of apples below 100. */
export function stockShelf(boxes: number, random: RandomSource): Shelf {
  return Object.fromEntries(
    Array.from({ length: boxes }, (_, index) => [`box-${index + 1}`, random.int(100)]),
  );
}

/** The number of apples in all boxes. */
export function totalOf(shelf: Shelf): number {
  return Object.values(shelf).reduce((sum, apples) => sum + apples, 0);
}
