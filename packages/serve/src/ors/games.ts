import type { Served } from "../context.ts";
import type { ResetQuery, Session } from "../session.ts";
import type { Sessions } from "../sessions.ts";
import { Game } from "./game.ts";
import { Refusal } from "./refusal.ts";

/** How many ids of sessions are remembered after their end. */
const mostRemembered = 10_000;

/** The sessions that speak ORS, by the ids that their clients send. */
export class Games {
  readonly #sessions: Sessions;
  readonly #games = new WeakMap<Session, Game>();
  /** Ids of sessions that there were, the latest last. */
  readonly #past = new Set<string>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Opens a session on an example, and sets its episode up in the background. */
  async create(id: string, served: Served, query: () => Promise<ResetQuery>): Promise<Game> {
    this.#checkNew(id);
    const { seed, ...asked } = await query();
    const { split, index } = await served.host.task(asked);
    this.#checkNew(id);
    const session = this.#sessions.open(served.host, id);
    session.onClosed = () => this.#remember(id);
    const opening = session.reset({ split, index, seed });
    const game = new Game(session, served, opening);
    this.#games.set(session, game);
    return game;
  }

  /** The game of a session, which thereby has been heard of. Throws a {@link Refusal} if there is none. */
  find(id: string): Game {
    const game = this.#find(id);
    if (game !== undefined) return game;
    if (this.#past.has(id))
      throw new Refusal(410, "This session was deleted, or silent for too long. Create another.");
    throw new Refusal(404, "There is no such session. Create it first.");
  }

  /** Ends a session if there is one. */
  async delete(id: string): Promise<void> {
    const game = this.#find(id);
    if (game !== undefined) await this.#sessions.close(game.session);
  }

  #find(id: string): Game | undefined {
    const session = this.#sessions.find(id);
    return session && this.#games.get(session);
  }

  #checkNew(id: string): void {
    if (this.#sessions.find(id) === undefined) return;
    throw new Refusal(400, "This session exists already. Delete it, or create another.");
  }

  #remember(id: string): void {
    this.#past.delete(id);
    this.#past.add(id);
    const [oldest] = this.#past;
    if (this.#past.size > mostRemembered) this.#past.delete(oldest!);
  }
}
