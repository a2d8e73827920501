import type { Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import type { Outcome } from "../host/host.ts";
import type { Session, SessionReport } from "../session.ts";
import type { Sessions } from "../sessions.ts";
import type { Row } from "./schemas.ts";

/** How many outcomes of ended sessions are kept for whoever asks again. */
const mostEnded = 10_000;

/**
 * The sessions of one environment, by cookie. A session ends with its outcome, so that a trainer that never closes one
 * holds no places; the outcome is kept for a while.
 */
export class NemoSessions {
  readonly #served: Served;
  readonly #sessions: Sessions;
  /** Those that were opened here: the ids of other protocols are no cookies. */
  readonly #own = new WeakSet<Session>();
  readonly #ended = new Map<string, Promise<Outcome>>();

  constructor(served: Served, sessions: Sessions) {
    this.#served = served;
    this.#sessions = sessions;
  }

  /** The session of a cookie if there is one, else a new one. */
  open(cookie: string | undefined): Session {
    return this.#find(cookie) ?? this.#open();
  }

  /** Starts the episode that a row means. A session in which it cannot be started is closed. */
  async start(session: Session, { verifier_metadata: wanted }: Row): Promise<SessionReport> {
    this.#ended.delete(session.id);
    try {
      const { split, index, seed, id } = wanted;
      const opening = await session.reset({ split, index, seed });
      const { task } = session;
      if (id !== undefined && task?.id !== id)
        throw new ServeError(
          "unknown-task",
          `Example ${index} of ${task?.split} is not the one of this row. Make the rows again, with the config and the seed of this server.`,
        );
      return opening;
    } catch (error) {
      await this.#sessions.close(session);
      throw error;
    }
  }

  /** The session of a cookie, while its episode may still go on. */
  running(cookie: string | undefined): Session {
    const session = this.#find(cookie);
    if (session !== undefined) return session;
    if (cookie === undefined)
      throw new ServeError(
        "no-episode",
        "This request has no cookie `session`. Seed or reset a session first, and send the cookie that it sets.",
      );
    throw new ServeError(
      "closed",
      "This session has ended, was closed, or was silent for too long. Seed or reset another.",
    );
  }

  /** The outcome of a cookie's session that has ended. */
  outcome(cookie: string | undefined): Promise<Outcome> | undefined {
    return cookie === undefined ? undefined : this.#ended.get(cookie);
  }

  /** Ends a session with the outcome that `play` brings about; once, however often it is asked. */
  end(session: Session, play: () => Promise<Outcome>): Promise<Outcome> {
    const { id } = session;
    const known = this.#ended.get(id);
    if (known !== undefined) return known;
    const ending = play().then(async (outcome) => {
      await this.#sessions.close(session);
      return outcome;
    });
    this.#ended.set(id, ending);
    ending.catch(() => this.#ended.delete(id));
    if (this.#ended.size > mostEnded) this.#ended.delete(this.#ended.keys().next().value!);
    return ending;
  }

  async close(cookie: string | undefined): Promise<void> {
    const session = this.#find(cookie);
    if (session !== undefined) await this.#sessions.close(session);
  }

  #open(): Session {
    const session = this.#sessions.open(this.#served.host);
    this.#own.add(session);
    return session;
  }

  #find(cookie: string | undefined): Session | undefined {
    const session = cookie === undefined ? undefined : this.#sessions.find(cookie);
    return session !== undefined && this.#own.has(session) ? session : undefined;
  }
}
