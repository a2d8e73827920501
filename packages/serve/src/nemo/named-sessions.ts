import { quote, ServeError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { NemoSessions } from "./nemo-sessions.ts";
import type { Row } from "./schemas.ts";

interface NamedSession {
  readonly session: Session;
  /** Resolves once the episode has started. */
  readonly started: Promise<unknown>;
}

/** The maximum number of names in memory, including those of closed sessions. */
const maxNames = 10_000;

/** Sessions that environment servers of NeMo Gym have named. A name starts one session, and none after it was closed. */
export class NamedSessions {
  readonly #sessions: NemoSessions;
  readonly #byName = new Map<string, NamedSession | "closed">();

  constructor(sessions: NemoSessions) {
    this.#sessions = sessions;
  }

  /** Starts the row's episode under a name. Later calls with the name return the same session. */
  async start(name: string, row: Row): Promise<Session> {
    const entry = this.#byName.get(name) ?? this.#create(name, row);
    if (entry === "closed")
      throw new ServeError(
        "closed",
        `The session ${quote(name)} was closed. Seed another one with a new id.`,
      );
    await entry.started;
    return entry.session;
  }

  /** Closes a session, and prevents another of this name. */
  async close(name: string): Promise<void> {
    const entry = this.#byName.get(name);
    this.#set(name, "closed");
    if (entry === undefined || entry === "closed") return;
    await this.#sessions.close(entry.session.id);
  }

  #create(name: string, row: Row): NamedSession {
    const session = this.#sessions.findOrOpen(undefined);
    const entry = { session, started: this.#sessions.start(session, row) };
    this.#set(name, entry);
    // The caller receives the rejection, and may retry with the same name.
    entry.started.catch(() => {
      if (this.#byName.get(name) === entry) this.#byName.delete(name);
    });
    return entry;
  }

  #set(name: string, entry: NamedSession | "closed"): void {
    this.#byName.set(name, entry);
    if (this.#byName.size > maxNames) this.#byName.delete(this.#byName.keys().next().value!);
  }
}
