import type { SampleRequest } from "../backend.ts";

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

  /**
   * A slot for each of at most `count` texts that are continued together: that of its session, or the one that was used
   * longest ago. A session that comes twice among them is remembered once.
   */
  take(requests: readonly Pick<SampleRequest, "session" | "promptIds">[]): Slot[] {
    const taken = new Set<Slot>();
    return requests.map(({ session, promptIds }) => {
      const slot = this.#find(session, taken);
      taken.add(slot);
      // What is taken goes to the end, so that what is first is free.
      this.#order.delete(slot);
      this.#order.add(slot);
      // The last token is always read again: its successor's distribution is wanted.
      const most = Math.min(slot.ids.length, promptIds.length - 1);
      let shared = 0;
      while (shared < most && slot.ids[shared] === promptIds[shared]) shared += 1;
      slot.ids.length = shared;
      return slot;
    });
  }

  #find(session: number | undefined, taken: ReadonlySet<Slot>): Slot {
    const known = session === undefined ? undefined : this.#sessions.get(session);
    if (known !== undefined && !taken.has(known)) return known;
    const [oldest] = this.#order;
    const slot = oldest!;
    if (slot.session !== undefined) this.#sessions.delete(slot.session);
    slot.session = known === undefined ? session : undefined;
    slot.ids = [];
    if (slot.session !== undefined) this.#sessions.set(slot.session, slot);
    return slot;
  }

  /** Forgets everything: the weights have changed. */
  clear(): void {
    for (const slot of this.#order) slot.ids = [];
  }
}
