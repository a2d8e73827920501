import { randomUUID } from "node:crypto";

import type { Seed } from "@envs/core";

import { ServeError } from "../errors.ts";
import type { EpisodeHost } from "../host/episode-host.ts";
import { Session } from "./session.ts";

/** Limits of a server's sessions. */
export interface SessionLimits {
  readonly maxSessions: number;
  readonly idleTimeoutMs: number;
  /** For a reset, a step or a score. */
  readonly stepTimeoutMs: number;
}

/** The figures of a server's sessions. */
interface SessionsStatus {
  readonly isDraining: boolean;
  readonly sessions: {
    readonly open: number;
    readonly max: number;
    readonly busy: number;
    readonly stuck: number;
  };
  readonly timeouts: number;
}

/** The longest time that closing a session waits for the environment's `close`. */
const closeTimeoutMs = 5000;

/** How often {@link Sessions.drain} looks for unfinished episodes. */
const drainIntervalMs = 50;

/** The sessions of a server, over all protocols. */
export class Sessions {
  readonly limits: SessionLimits;
  readonly #defaultSeed: Seed;
  readonly #byId = new Map<string, Session>();
  readonly #check: NodeJS.Timeout;
  #isClosing = false;
  /** Whether open episodes may end, and no session may open. */
  isDraining = false;
  /** The number of actions that exceeded the time limit. */
  timeouts = 0;

  constructor(limits: SessionLimits, defaultSeed: Seed) {
    this.limits = limits;
    this.#defaultSeed = defaultSeed;
    this.#check = setInterval(
      () => this.#closeIdle(),
      Math.min(limits.idleTimeoutMs / 4, limits.stepTimeoutMs / 4, 5000),
    );
    this.#check.unref();
  }

  /** The number of open sessions. */
  get count(): number {
    return this.#byId.size;
  }

  get status(): SessionsStatus {
    const { isDraining, timeouts, limits, count: open } = this;
    const earliest = performance.now() - limits.stepTimeoutMs / 2;
    const starts = [...this.#byId.values()].flatMap(({ busySince = [] }) => busySince);
    const stuck = starts.filter((start) => start < earliest).length;
    return {
      isDraining,
      sessions: { open, max: limits.maxSessions, busy: starts.length, stuck },
      timeouts,
    };
  }

  /** Opens a session. Throws a {@link ServeError} of code `capacity`, `draining` or `invalid-action`. */
  open(host: EpisodeHost, id: string = randomUUID()): Session {
    this.#checkOpen(id);
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
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeTimeoutMs);
    try {
      await Promise.race([session.close(), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens no more sessions. Resolves once no session has an unfinished episode, or when the time is over. */
  async drain(timeoutMs: number): Promise<void> {
    this.isDraining = true;
    const end = performance.now() + timeoutMs;
    const isUnfinished = ({ pending, task, isOver }: Session): boolean =>
      pending > 0 || (task !== undefined && !isOver);
    while (performance.now() < end && [...this.#byId.values()].some(isUnfinished))
      await new Promise((resolve) => setTimeout(resolve, drainIntervalMs));
  }

  /** Closes all sessions, and opens no more. */
  async closeAll(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#check);
    await Promise.allSettled([...this.#byId.values()].map((session) => this.close(session)));
  }

  #checkOpen(id: string): void {
    if (this.#isClosing) throw new ServeError("closed", "The server is closing.");
    if (this.isDraining)
      throw new ServeError(
        "draining",
        "The server is shutting down and does not accept new sessions. Try again in a moment.",
      );
    if (this.#byId.has(id)) throw new ServeError("invalid-action", "This session already exists.");
    const { maxSessions } = this.limits;
    if (this.#byId.size >= maxSessions)
      throw new ServeError(
        "capacity",
        `All ${maxSessions} sessions are in use. Close some, or start the server with a higher limit.`,
      );
  }

  #closeIdle(): void {
    const now = performance.now();
    const { idleTimeoutMs, stepTimeoutMs } = this.limits;
    for (const session of this.#byId.values()) {
      const { busySince, idleSince } = session;
      // A client's pings do not prolong a step: they prove that the client is alive, not that the environment works.
      if (busySince !== undefined) {
        if (busySince < now - stepTimeoutMs) {
          this.timeouts += 1;
          session.expire(stepTimeoutMs);
        }
      } else if (idleSince < now - idleTimeoutMs) void this.close(session).catch(() => undefined);
    }
  }
}
