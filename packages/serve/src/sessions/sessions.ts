import { randomUUID } from "node:crypto";

import type { Seed } from "@envs/core";

import { ServeError } from "../errors.ts";
import type { EpisodeHost } from "../host/episode-host.ts";
import { Session } from "./session.ts";

/** Limits of a server's sessions. */
export interface SessionLimits {
  readonly maxSessions: number;
  readonly idleTimeoutMs: number;
}

/** A busy session has this many idle timeouts: an environment that hangs must not occupy it for ever. */
const busyTimeoutFactor = 4;

/** All sessions of a server, over all protocols. */
export class Sessions {
  readonly limits: SessionLimits;
  readonly #defaultSeed: Seed;
  readonly #byId = new Map<string, Session>();
  readonly #idleCheck: NodeJS.Timeout;
  #isClosing = false;

  constructor(limits: SessionLimits, defaultSeed: Seed) {
    this.limits = limits;
    this.#defaultSeed = defaultSeed;
    this.#idleCheck = setInterval(
      () => this.#closeIdle(),
      Math.min(limits.idleTimeoutMs / 4, 5000),
    );
    this.#idleCheck.unref();
  }

  get count(): number {
    return this.#byId.size;
  }

  /** Opens a session. Throws a {@link ServeError} of code `capacity` at the limit. */
  open(host: EpisodeHost, id: string = randomUUID()): Session {
    if (this.#isClosing) throw new ServeError("closed", "The server is closing.");
    if (this.#byId.has(id)) throw new ServeError("invalid-action", "This session already exists.");
    if (this.#byId.size >= this.limits.maxSessions)
      throw new ServeError(
        "capacity",
        `All ${this.limits.maxSessions} sessions are in use. Close some, or start the server with a higher limit.`,
      );
    const session = new Session(id, host, this.#defaultSeed);
    session.lastActiveAt = performance.now();
    this.#byId.set(id, session);
    return session;
  }

  /** Returns the session, and resets its idle timeout. */
  find(id: string): Session | undefined {
    const session = this.#byId.get(id);
    if (session !== undefined) session.lastActiveAt = performance.now();
    return session;
  }

  async close(session: Session): Promise<void> {
    if (this.#byId.get(session.id) === session) this.#byId.delete(session.id);
    await session.close();
  }

  /** Closes all sessions, and opens no more. */
  async closeAll(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#idleCheck);
    await Promise.allSettled([...this.#byId.values()].map((session) => this.close(session)));
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const session of this.#byId.values()) {
      const factor = session.pending === 0 ? 1 : busyTimeoutFactor;
      const earliest = now - this.limits.idleTimeoutMs * factor;
      if (session.lastActiveAt < earliest) void this.close(session).catch(() => undefined);
    }
  }
}
