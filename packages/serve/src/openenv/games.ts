import type { Served } from "../context.ts";
import type { Session } from "../session.ts";
import type { Sessions } from "../sessions.ts";
import { Game } from "./game.ts";

const games = new WeakMap<Session, Game>();

/** Opens a session. Throws a `ServeError` of code `capacity` when there are enough. */
export function openGame(served: Served, sessions: Sessions): Game {
  const game = new Game(sessions.open(served.host), served);
  games.set(game.session, game);
  return game;
}

/** A session of this environment that was opened here. */
export function findGame(served: Served, sessions: Sessions, id: string): Game | undefined {
  const session = sessions.find(id);
  const game = session && games.get(session);
  return game?.served === served ? game : undefined;
}

/** Opens a session for one answer, and ends it. */
export async function withGame<Result>(
  served: Served,
  sessions: Sessions,
  use: (game: Game) => Promise<Result>,
): Promise<Result> {
  const game = openGame(served, sessions);
  try {
    return await use(game);
  } finally {
    await sessions.close(game.session);
  }
}
