import { randomUUID } from "node:crypto";

import type { Seed } from "@envs/core";

import { ServeError } from "./failure.ts";
import type { EpisodeHost } from "./host/host.ts";
import { Session } from "./session.ts";

/** How many sessions there may be, and how long they may be silent. */
export interface SessionLimits {
  readonly most: number;
  /** In milliseconds. */
  readonly idleTimeout: number;
}

/** How many times as long a session may be silent that is at work: an environment that hangs must not hold it for ever. */
const patienceAtWork = 4;

/** All sessions of a server, over whatever protocol. */
export class Sessions {
  readonly limits: SessionLimits;
  readonly #seed: Seed;
  readonly #all = new Map<string, Session>();
  readonly #reaper: NodeJS.Timeout;
  #isClosing = false;

  constructor(limits: SessionLimits, seed: Seed) {
    this.limits = limits;
    this.#seed = seed;
    this.#reaper = setInterval(() => this.#reap(), Math.min(limits.idleTimeout / 4, 5000));
    this.#reaper.unref();
  }

  get count(): number {
    return this.#all.size;
  }

  /** Opens a session. Throws a {@link ServeError} of code `capacity` when there are enough. */
  open(host: EpisodeHost, id: string = randomUUID()): Session {
    if (this.#isClosing) throw new ServeError("closed", "The server is closing.");
    if (this.#all.has(id)) throw new ServeError("invalid-action", "This session exists already.");
    if (this.#all.size >= this.limits.most)
      throw new ServeError(
        "capacity",
        `All ${this.limits.most} sessions are taken. Close some, or start the server with more.`,
      );
    const session = new Session(id, host, this.#seed);
    session.lastHeard = performance.now();
    this.#all.set(id, session);
    return session;
  }

  /** The session of this id, which thereby has been heard of. */
  find(id: string): Session | undefined {
    const session = this.#all.get(id);
    if (session !== undefined) session.lastHeard = performance.now();
    return session;
  }

  async close(session: Session): Promise<void> {
    if (this.#all.get(session.id) === session) this.#all.delete(session.id);
    await session.close();
  }

  /** Takes no more sessions, and ends those that there are. */
  async closeAll(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#reaper);
    await Promise.allSettled([...this.#all.values()].map((session) => this.close(session)));
  }

  #reap(): void {
    const now = performance.now();
    for (const session of this.#all.values()) {
      const patience = this.limits.idleTimeout * (session.pending === 0 ? 1 : patienceAtWork);
      if (session.lastHeard < now - patience) void this.close(session).catch(() => undefined);
    }
  }
}
