import type { PendingCall } from "./pending-call.ts";

/** A request, by which a repeated one is found. */
interface Sent {
  readonly path: string;
  readonly body: string;
}

/** The number of calls whose replies can be repeated. */
const maxCalls = 8;

/** The last calls of a session, whose replies a client may ask for again. */
export class RepeatableCalls {
  readonly #calls = new Set<Sent & { readonly pending: PendingCall }>();

  find({ path, body }: Sent): PendingCall | undefined {
    // Bodies of another length differ at once. A map would compute the hash of each.
    return [...this.#calls].findLast((call) => call.body === body && call.path === path)?.pending;
  }

  add({ path, body }: Sent, pending: PendingCall): void {
    this.#calls.add({ path, body, pending });
    for (const oldest of this.#calls) {
      if (this.#calls.size <= maxCalls) return;
      if (oldest.pending.isSettled) this.#calls.delete(oldest);
    }
  }

  clear(): void {
    this.#calls.clear();
  }
}
