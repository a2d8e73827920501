import type { SampleRequest } from "./sampler.ts";

/** The cached conversation of one slot of the decoder. */
export interface Slot {
  readonly index: number;
  /** The tokens whose keys and values are cached, from the first token of the conversation. */
  ids: number[];
  session: number | undefined;
}

/** Assigns slots of the decoder to conversations; evicts the least recently used conversation. */
export class Slots {
  readonly count: number;
  /** From the least to the most recently used. */
  readonly #order: Set<Slot>;
  readonly #sessions = new Map<number, Slot>();

  constructor(count: number) {
    this.count = count;
    this.#order = new Set(
      Array.from({ length: count }, (_, index) => ({ index, ids: [], session: undefined })),
    );
  }

  /**
   * Assigns a slot to each of at most `count` requests: the slot of its session, else the least recently used one. Only
   * one request of a session keeps the session's slot.
   */
  assign(requests: readonly Pick<SampleRequest, "session" | "promptIds">[]): Slot[] {
    const assigned = new Set<Slot>();
    return requests.map(({ session, promptIds }) => {
      const slot = this.#find(session, assigned);
      assigned.add(slot);
      // Assigned slots move to the end, so that the first slot is always free.
      this.#order.delete(slot);
      this.#order.add(slot);
      // The decoder must read the last token again to compute the distribution of the next one.
      const maxShared = Math.min(slot.ids.length, promptIds.length - 1);
      let shared = 0;
      while (shared < maxShared && slot.ids[shared] === promptIds[shared]) shared += 1;
      slot.ids.length = shared;
      return slot;
    });
  }

  #find(session: number | undefined, assigned: ReadonlySet<Slot>): Slot {
    const known = session === undefined ? undefined : this.#sessions.get(session);
    if (known !== undefined && !assigned.has(known)) return known;
    const [leastRecent] = this.#order;
    const slot = leastRecent!;
    if (slot.session !== undefined) this.#sessions.delete(slot.session);
    slot.session = known === undefined ? session : undefined;
    slot.ids = [];
    if (slot.session !== undefined) this.#sessions.set(slot.session, slot);
    return slot;
  }

  /** Drops all cached keys and values. */
  clear(): void {
    for (const slot of this.#order) slot.ids = [];
  }
}
