import type { ServedEnvironment } from "../context.ts";
import type { ResetQuery, Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { OrsError, OrsSession } from "./ors-session.ts";

/** The maximum number of closed sessions whose requests get 410 instead of 404. */
const maxClosedIds = 10_000;

/** The sessions that were created over ORS, by ids that the clients choose. */
export class OrsSessions {
  readonly #sessions: Sessions;
  readonly #orsSessions = new WeakMap<Session, OrsSession>();
  /** The ids of closed sessions, the latest last. */
  readonly #closedIds = new Set<string>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Opens a session. Its episode starts in the background. */
  async create(
    id: string,
    environment: ServedEnvironment,
    resolveQuery: () => Promise<ResetQuery>,
  ): Promise<OrsSession> {
    this.#checkUnused(id);
    const { seed, seat, ...query } = await resolveQuery();
    const { split, index } = await environment.host.task(query);
    this.#checkUnused(id);
    const session = this.#sessions.open(environment.host, id);
    session.onClosed = () => this.#addClosedId(id);
    const opening = session.reset({ split, index, seed, seat });
    const orsSession = new OrsSession(session, environment, opening);
    this.#orsSessions.set(session, orsSession);
    return orsSession;
  }

  /** Returns the session, and resets its idle timeout. Throws an {@link OrsError} if it does not exist. */
  get(id: string): OrsSession {
    const session = this.#find(id);
    if (session !== undefined) return session;
    if (this.#closedIds.has(id))
      throw new OrsError(410, "This session was deleted, or idle for too long. Create another.");
    throw new OrsError(404, "There is no such session. Create it first.");
  }

  /** Closes the session if it exists. */
  async delete(id: string): Promise<void> {
    const session = this.#find(id);
    if (session !== undefined) await this.#sessions.close(session.session);
  }

  #find(id: string): OrsSession | undefined {
    const session = this.#sessions.find(id);
    return session && this.#orsSessions.get(session);
  }

  #checkUnused(id: string): void {
    if (this.#sessions.find(id) === undefined) return;
    throw new OrsError(400, "This session already exists. Delete it, or create another.");
  }

  #addClosedId(id: string): void {
    this.#closedIds.delete(id);
    this.#closedIds.add(id);
    const [oldest] = this.#closedIds;
    if (this.#closedIds.size > maxClosedIds) this.#closedIds.delete(oldest!);
  }
}
