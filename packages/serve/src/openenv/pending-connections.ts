import type { SessionLimits } from "../sessions/sessions.ts";

/** A socket that has not sent a frame yet, and so does not have a session. */
export interface PendingConnection {
  closeIdle(): void;
  /** Closes the socket, because too many other sockets were active more recently. */
  closeExcess(): void;
}

/** The minimum for the limit of pending connections, for servers with few sessions. */
const minLimit = 1000;

/**
 * Limits the sockets without a session. Trainers may open sockets long before they use them, and thousands of unused
 * sockets must not occupy the places of active sessions.
 */
export class PendingConnections {
  readonly #limit: number;
  readonly #idleTimeoutMs: number;
  /** The time at which each connection was last active, least recent first. */
  readonly #lastActiveAt = new Map<PendingConnection, number>();
  readonly #idleCheck: NodeJS.Timeout;

  /** Takes the limits of sessions for pending connections. */
  constructor({ maxSessions, idleTimeoutMs }: SessionLimits) {
    this.#limit = Math.max(maxSessions, minLimit);
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#idleCheck = setInterval(() => this.#closeIdle(), Math.min(idleTimeoutMs / 4, 5000));
    this.#idleCheck.unref();
  }

  /** Adds a connection, or resets its idle timeout. */
  touch(connection: PendingConnection): void {
    this.#lastActiveAt.delete(connection);
    this.#lastActiveAt.set(connection, performance.now());
    if (this.#lastActiveAt.size > this.#limit)
      this.#lastActiveAt.keys().next().value!.closeExcess();
  }

  remove(connection: PendingConnection): void {
    this.#lastActiveAt.delete(connection);
  }

  close(): void {
    clearInterval(this.#idleCheck);
  }

  #closeIdle(): void {
    const earliest = performance.now() - this.#idleTimeoutMs;
    for (const [connection, lastActiveAt] of this.#lastActiveAt) {
      if (lastActiveAt >= earliest) return;
      connection.closeIdle();
    }
  }
}
