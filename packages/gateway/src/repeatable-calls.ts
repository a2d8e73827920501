import type { PendingCall } from "./pending-call.ts";

/** A request, by which a repeated one is found. */
interface Sent {
  readonly path: string;
  readonly body: Buffer;
}

/** The number of calls whose replies can be repeated. */
const maxCalls = 8;

/** The last calls of a session, whose replies a client may ask for again. */
export class RepeatableCalls {
  readonly #calls = new Set<Sent & { readonly pending: PendingCall }>();

  /** Finds the last equal call, if the client repeats it: with the header of a retry, or because the call has lost its clients. */
  find({ path, body }: Sent, { isRetry }: { readonly isRetry: boolean }): PendingCall | undefined {
    const calls = [...this.#calls];
    const isRepeatable = ({ pending }: { readonly pending: PendingCall }): boolean =>
      !pending.hasFailed && (isRetry || pending.isAbandoned);
    // Most requests are new. Their bodies, which may be long, are not compared.
    if (!calls.some(isRepeatable)) return undefined;
    const last = calls.findLast((call) => call.path === path && call.body.equals(body));
    return last && isRepeatable(last) ? last.pending : undefined;
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
