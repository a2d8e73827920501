import { ServeError } from "../errors.ts";
import type { EpisodeHost, ScoredOutcome } from "../host/episode-host.ts";
import type { Session } from "../sessions/session.ts";

interface Member {
  readonly session: Session;
  readonly resolve: (outcome: ScoredOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Ended episodes that wait for the others of their example. NeMo Gym requests the reward of one rollout at a time, and runs
 * the rollouts of an example at once, so a request for a reward can wait for the whole cohort.
 */
export class Cohorts {
  readonly #host: EpisodeHost;
  readonly #size: number;
  /** The waiting episodes by example and seat. */
  readonly #waiting = new Map<string, Member[]>();

  constructor(host: EpisodeHost, size: number) {
    this.#host = host;
    this.#size = size;
  }

  /** Resolves once the cohort is complete. Rejects with a {@link ServeError} if the session closes earlier. */
  join(session: Session): Promise<ScoredOutcome> {
    const { task, seat = "" } = session;
    const key = `${task?.split}/${task?.index}/${seat}`;
    const members = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, members);
    const { promise, resolve, reject } = Promise.withResolvers<ScoredOutcome>();
    const member = { session, resolve, reject };
    members.push(member);
    session.onClosed = () => {
      const position = members.indexOf(member);
      if (position !== -1) members.splice(position, 1);
      reject(
        new ServeError(
          "closed",
          `The session was closed before ${this.#size} rollouts of its example had ended. Run as many at once as --group-size says.`,
        ),
      );
    };
    if (members.length === this.#size) {
      this.#waiting.delete(key);
      void this.#score(members);
    }
    return promise;
  }

  async #score(members: readonly Member[]): Promise<void> {
    try {
      const outcomes = await this.#host.scoreGroup(members.map(({ session }) => session.id));
      for (const [index, { resolve }] of members.entries()) resolve(outcomes[index]!);
    } catch (error) {
      for (const { reject } of members) reject(error);
    }
  }
}
