/** A source of random numbers, such as the `random` of an environment. */
interface Chance {
  int(bound: number): number;
}

/** Boxes by name, each with a number of apples. */
export type Shelf = Readonly<Record<string, number>>;

/** A shelf of boxes. */
export function stockShelf(boxes: number, chance: Chance): Shelf {
  return Object.fromEntries(
    Array.from({ length: boxes }, (_, index) => [`box-${index + 1}`, chance.int(100)]),
  );
}

/** All apples of a shelf. */
export function totalOf(shelf: Shelf): number {
  return Object.values(shelf).reduce((sum, apples) => sum + apples, 0);
}
