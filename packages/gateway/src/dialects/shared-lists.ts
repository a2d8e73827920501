interface Node<Item> {
  readonly item: Item;
  readonly next: Node<Item>[];
}

/**
 * Replaces items of a list by equal ones of earlier lists that begin alike. Each request of an agent repeats its conversation, whose
 * messages would otherwise be in memory once for each call.
 */
export class SharedLists<Item> {
  readonly #first: Node<Item>[] = [];

  share(items: readonly Item[]): readonly Item[] {
    let siblings = this.#first;
    return items.map((item) => {
      // The last sibling is that of the latest call.
      let node = siblings.findLast((known) => isSame(known.item, item));
      if (node === undefined) siblings.push((node = { item, next: [] }));
      siblings = node.next;
      return node.item;
    });
  }
}

/** Whether two values have the same JSON text, also in the order of their fields. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return (
    names.length === others.length &&
    names.every(
      (name, index) =>
        name === others[index] &&
        isSame(left[name as keyof typeof left], right[name as keyof typeof right]),
    )
  );
}
