import { ServeError } from "../failure.ts";
import { quoted } from "../quoted.ts";
import type { Session } from "../session.ts";
import type { NemoSessions } from "./nemo-sessions.ts";
import type { Row } from "./schemas.ts";

interface Named {
  readonly session: Session;
  readonly started: Promise<unknown>;
}

/** How many names are known, also of sessions that have ended. */
const most = 10_000;

/** Sessions that environment servers of NeMo Gym have named: one is started once, and never after it was closed. */
export class NamedSessions {
  readonly #sessions: NemoSessions;
  readonly #all = new Map<string, Named | "closed">();

  constructor(sessions: NemoSessions) {
    this.#sessions = sessions;
  }

  /** The session of this name, with the episode that a row means. Asked for again, it is the same and goes on. */
  async start(name: string, row: Row): Promise<Session> {
    const named = this.#all.get(name) ?? this.#begin(name, row);
    if (named === "closed")
      throw new ServeError(
        "closed",
        `The session ${quoted(name)} was closed. Seed another, with another id.`,
      );
    await named.started;
    return named.session;
  }

  /** Ends a session, and keeps one of this name from being started. */
  async close(name: string): Promise<void> {
    const named = this.#all.get(name);
    this.#keep(name, "closed");
    if (named !== undefined && named !== "closed") await this.#sessions.close(named.session.id);
  }

  #begin(name: string, row: Row): Named {
    const session = this.#sessions.open(undefined);
    const named = { session, started: this.#sessions.start(session, row) };
    this.#keep(name, named);
    // Whoever asked is told, and may try again.
    named.started.catch(() => {
      if (this.#all.get(name) === named) this.#all.delete(name);
    });
    return named;
  }

  #keep(name: string, named: Named | "closed"): void {
    this.#all.set(name, named);
    if (this.#all.size > most) this.#all.delete(this.#all.keys().next().value!);
  }
}
