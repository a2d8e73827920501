/** What one slot of the decoder remembers. */
export interface Slot {
  readonly index: number;
  /** The tokens whose keys and values it holds, from the first. */
  ids: number[];
  session: number | undefined;
}

/** Gives conversations slots of the decoder; one that was not heard of for longest makes room. */
export class Slots {
  readonly count: number;
  /** From the one used longest ago to the latest. */
  readonly #order: Set<Slot>;
  readonly #sessions = new Map<number, Slot>();

  constructor(count: number) {
    this.count = count;
    this.#order = new Set(
      Array.from({ length: count }, (_, index) => ({ index, ids: [], session: undefined })),
    );
  }

  /** The slot of a session, or a free one. Between two calls of `take` for one wave there are at most `count`. */
  take(session: number | undefined, promptIds: readonly number[]): Slot {
    const known = session === undefined ? undefined : this.#sessions.get(session);
    const [oldest] = this.#order;
    const slot = known ?? oldest!;
    if (known === undefined) {
      if (slot.session !== undefined) this.#sessions.delete(slot.session);
      slot.session = session;
      slot.ids = [];
      if (session !== undefined) this.#sessions.set(session, slot);
    }
    this.#order.delete(slot);
    this.#order.add(slot);
    // The last token is always read again: its successor's distribution is wanted.
    const most = Math.min(slot.ids.length, promptIds.length - 1);
    let shared = 0;
    while (shared < most && slot.ids[shared] === promptIds[shared]) shared += 1;
    slot.ids.length = shared;
    return slot;
  }

  /** Forgets everything: the weights have changed. */
  clear(): void {
    for (const slot of this.#order) slot.ids = [];
  }
}
