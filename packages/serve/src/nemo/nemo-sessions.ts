import type { ServedEnvironment } from "../context.ts";
import { ServeError } from "../errors.ts";
import { groupScoresOf, type Outcome, type ScoredOutcome } from "../host/episode-host.ts";
import type { ServedTools } from "../served-tools.ts";
import type { Session, SessionObservation } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { Cohorts } from "./cohorts.ts";
import type { Row } from "./schemas.ts";

/** Text for the model once its episode is over. */
export const episodeOver = "The episode is over.";

/** The maximum number of outcomes of ended sessions in memory, for clients that request one again. */
const maxOutcomes = 10_000;

/**
 * The sessions of one environment, by the session id of the cookie. A session closes when its episode ends, so that
 * trainers that never close one do not exhaust the sessions; its outcome stays available.
 */
export class NemoSessions {
  readonly #environment: ServedEnvironment;
  readonly #sessions: Sessions;
  /** The sessions of this protocol: a cookie with the id of another protocol's session is invalid. */
  readonly #ownSessions = new WeakSet<Session>();
  readonly #outcomes = new Map<string, Promise<ScoredOutcome>>();
  /** Set if the rubric compares the rollouts of an example. */
  readonly #cohorts: Cohorts | undefined;

  constructor(environment: ServedEnvironment, sessions: Sessions) {
    this.#environment = environment;
    this.#sessions = sessions;
    const { host, groupSize = 1 } = environment;
    if (groupScoresOf(host.card).length > 0) this.#cohorts = new Cohorts(host, groupSize);
  }

  findOrOpen(id: string | undefined): Session {
    return this.#find(id) ?? this.#open();
  }

  /** Starts the row's episode. If that fails, the session is closed. */
  async start(session: Session, { verifier_metadata: metadata }: Row): Promise<SessionObservation> {
    this.#outcomes.delete(session.id);
    try {
      const { split, index, seed, id, seat } = metadata;
      const opening = await session.reset({ split, index, seed, seat });
      const { task } = session;
      if (id !== undefined && task?.id !== id)
        throw new ServeError(
          "unknown-task",
          `Example ${index} of ${task?.split} is not the example of this row. Export the rows again, with the config and the seed of this server.`,
        );
      return opening;
    } catch (error) {
      await this.#sessions.close(session);
      throw error;
    }
  }

  /** Throws a {@link ServeError} if the id is missing, or its session has ended. */
  get(id: string | undefined): Session {
    const session = this.#find(id);
    if (session !== undefined) return session;
    if (id === undefined)
      throw new ServeError(
        "no-episode",
        "The cookie `session` is missing. Seed or reset a session first, and send the cookie that it sets.",
      );
    throw new ServeError(
      "closed",
      "This session has ended, was closed, or was idle for too long. Seed or reset another.",
    );
  }

  /** The tools of a session; those of the environment if it does not exist. */
  toolsOf(id: string | undefined): ServedTools {
    return this.#find(id)?.tools ?? this.#environment.tools;
  }

  /** The outcome of a session that has ended. */
  outcome(id: string | undefined): Promise<ScoredOutcome> | undefined {
    return id === undefined ? undefined : this.#outcomes.get(id);
  }

  /** Closes a session with the outcome that `finish` returns. Later calls return the first outcome. */
  end(session: Session, finish: () => Promise<Outcome>): Promise<ScoredOutcome> {
    const { id } = session;
    const pastOutcome = this.#outcomes.get(id);
    if (pastOutcome !== undefined) return pastOutcome;
    const ending = this.#score(session, finish);
    this.#outcomes.set(id, ending);
    ending.catch(() => this.#outcomes.delete(id));
    if (this.#outcomes.size > maxOutcomes)
      this.#outcomes.delete(this.#outcomes.keys().next().value!);
    return ending;
  }

  async close(id: string | undefined): Promise<void> {
    const session = this.#find(id);
    if (session !== undefined) await this.#sessions.close(session);
  }

  async #score(session: Session, finish: () => Promise<Outcome>): Promise<ScoredOutcome> {
    const outcome = await finish();
    // Only environments that compare rollouts end an episode without a reward.
    const scored = (await this.#cohorts?.join(session)) ?? (outcome as ScoredOutcome);
    await this.#sessions.close(session);
    return scored;
  }

  #open(): Session {
    const session = this.#sessions.open(this.#environment.host);
    this.#ownSessions.add(session);
    return session;
  }

  #find(id: string | undefined): Session | undefined {
    const session = id === undefined ? undefined : this.#sessions.find(id);
    return session !== undefined && this.#ownSessions.has(session) ? session : undefined;
  }
}
