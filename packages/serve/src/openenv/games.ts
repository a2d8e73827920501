import type { ServerResponse } from "node:http";

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

/** Who asked over HTTP. */
export interface Asker {
  readonly sessions: Sessions;
  /** It closes before it is sent when the client goes. */
  readonly answer: ServerResponse;
}

/** Opens a session for one answer, and ends it: at once, if nobody waits for the answer any more. */
export async function withGame<Result>(
  served: Served,
  { sessions, answer }: Asker,
  use: (game: Game) => Promise<Result>,
): Promise<Result> {
  const game = openGame(served, sessions);
  const close = (): Promise<void> => sessions.close(game.session);
  const leave = (): void => void close().catch(() => undefined);
  answer.once("close", leave);
  try {
    return await use(game);
  } finally {
    answer.off("close", leave);
    await close();
  }
}
