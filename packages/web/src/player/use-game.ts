import type { AssistantMessage } from "@envs/core";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";

import { readAddress, writeAddress } from "./address.ts";
import { BundleSession } from "./bundle-session.ts";
import { entriesOf, type GameState, initialState, type PlaySetup, rolesOf } from "./game-state.ts";
import { type AskPlayer, Game } from "./game.ts";
import { ServerSession } from "./server-session.ts";
import { type PlayerProps, PlayError, type PlaySession } from "./session.ts";
import { playersOf } from "./setup-form.tsx";
import { TinyModelClient } from "./tiny-model-client.ts";

/** The setup before a person chooses anything. */
function defaultSetup(props: PlayerProps): PlaySetup {
  const split = props.splits.find(({ name }) => name === "train") ?? props.splits[0];
  return {
    role: rolesOf(props.seats)[0]!,
    player: playersOf(props)[0] ?? "",
    config: {},
    split: split?.name ?? undefined,
    example: 0,
    seed: 0,
  };
}

/** The game of a page. The address has its setup and its moves, and a page that opens with moves plays them. */
export function useGame(props: PlayerProps): {
  readonly state: GameState;
  readonly game: Game | undefined;
} {
  const [initial] = useState(() => initialState(defaultSetup(props)));
  const [game, setGame] = useState<Game>();
  const firstProps = useRef(props);

  useEffect(() => {
    const session = makeSession(firstProps.current);
    const players = new Players(firstProps.current, session);
    const link = readAddress(location.search);
    const { seats } = firstProps.current;
    const isRole = link.setup.role === undefined || rolesOf(seats).includes(link.setup.role);
    const { role } = initial.setup;
    const setup = { ...initial.setup, ...link.setup, ...(isRole ? {} : { role }) };
    const created = new Game(session, { ask: players.ask, seats }, setup);
    setGame(created);
    if (location.search !== "") void created.start(setup, isRole ? link.moves : []);
    const unsubscribe = created.subscribe(() => followAddress(created.state()));
    return () => {
      unsubscribe();
      session.close();
      players.close();
    };
  }, [initial]);

  const state = useSyncExternalStore(
    game?.subscribe ?? (() => () => {}),
    game?.state ?? (() => initial),
    () => initial,
  );
  return { state, game };
}

function followAddress({ phase, setup, moves }: GameState): void {
  if (phase !== "turn" && phase !== "over") return;
  const search = writeAddress(setup, moves);
  history.replaceState(null, "", search === "" ? location.pathname : `?${search}`);
}

function makeSession({ source, tools, maxTurns }: PlayerProps): PlaySession {
  return source.kind === "bundle"
    ? new BundleSession(source)
    : new ServerSession(source, { tools, maxTurns });
}

/** The models and policies that can take the model's turn. */
class Players {
  readonly #props: PlayerProps;
  readonly #session: PlaySession;
  readonly #loading = new Map<string, Promise<TinyModelClient>>();

  constructor(props: PlayerProps, session: PlaySession) {
    this.#props = props;
    this.#session = session;
  }

  readonly ask: AskPlayer = async (name, state): Promise<AssistantMessage> => {
    if (name.startsWith("policy:")) {
      if (this.#session.advise === undefined)
        throw new PlayError("This server does not ask policies.");
      return this.#session.advise(name.slice("policy:".length));
    }
    const model = await this.#load(name.replace(/^tiny:/, ""));
    const messages = entriesOf(state).map(({ message }) => message);
    return model.reply(messages, state.setup.seed + state.moves.length);
  };

  close(): void {
    for (const loading of this.#loading.values())
      void loading.then((model) => model.close()).catch(() => {});
  }

  #load(name: string): Promise<TinyModelClient> {
    const player = this.#props.models.find((model) => model.name === name);
    if (player === undefined) return Promise.reject(new PlayError(`There is no model ${name}.`));
    const loading = this.#loading.get(name) ?? TinyModelClient.load(player);
    this.#loading.set(name, loading);
    loading.catch(() => this.#loading.delete(name));
    return loading;
  }
}
