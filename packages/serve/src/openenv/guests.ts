import type { SessionLimits } from "../sessions.ts";

/** A socket that has asked for nothing yet. */
export interface Guest {
  /** Ends it: it was silent for too long, or, if `isCrowded`, there are too many that were heard of later. */
  dismiss(isCrowded: boolean): void;
}

/** How many there may be at least, however few sessions there may be. */
const fewest = 1000;

/**
 * Sockets without a session. Trainers may open theirs long before they need them; who opens thousands and says nothing
 * must take no place of those who play.
 */
export class Guests {
  readonly #most: number;
  readonly #idleTimeout: number;
  /** When each was last heard of; whoever was silent for longest comes first. */
  readonly #all = new Map<Guest, number>();
  readonly #reaper: NodeJS.Timeout;

  /** As many as sessions, and for as long. */
  constructor({ most, idleTimeout }: SessionLimits) {
    this.#most = Math.max(most, fewest);
    this.#idleTimeout = idleTimeout;
    this.#reaper = setInterval(() => this.#reap(), Math.min(idleTimeout / 4, 5000));
    this.#reaper.unref();
  }

  /** Takes note of a guest that has come, or has sent a ping. */
  hear(guest: Guest): void {
    this.#all.delete(guest);
    this.#all.set(guest, performance.now());
    if (this.#all.size > this.#most) this.#all.keys().next().value!.dismiss(true);
  }

  /** The guest has gone, or has a session now. */
  leave(guest: Guest): void {
    this.#all.delete(guest);
  }

  close(): void {
    clearInterval(this.#reaper);
  }

  #reap(): void {
    const earliest = performance.now() - this.#idleTimeout;
    for (const [guest, heard] of this.#all) {
      if (heard >= earliest) return;
      guest.dismiss(false);
    }
  }
}
