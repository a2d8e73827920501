import type { AssistantMessage } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import {
  type GameState,
  initialState,
  type Move,
  type PlaySetup,
  seatsOf,
  watching,
  withEntries,
  withView,
} from "./game-state.ts";
import { PlayError, type PlayerSeat, type PlaySession } from "./session.ts";

/** Returns the reply of a model. `name` is `tiny:<name>` or `policy:<name>`. */
export type AskPlayer = (name: string, state: GameState) => Promise<AssistantMessage>;

/** Between the moves of a model that a person watches. */
const pauseMs = 700;

/** One game at a time: a person and models move, until the environment ends the episode. */
export class Game {
  readonly #session: PlaySession;
  readonly #ask: AskPlayer;
  readonly #seats: readonly PlayerSeat[];
  readonly #listeners = new Set<() => void>();
  #state: GameState;
  /** Changes with each episode, so that a late answer to an earlier one is dropped. */
  #run = 0;

  constructor(
    session: PlaySession,
    { ask, seats }: { readonly ask: AskPlayer; readonly seats: readonly PlayerSeat[] },
    setup: PlaySetup,
  ) {
    this.#session = session;
    this.#ask = ask;
    this.#seats = seats;
    this.#state = initialState(setup);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): GameState => this.#state;

  /** Starts an episode and plays `moves` again, at a pace that a person can follow if `isSlow`. */
  async start(
    setup: PlaySetup,
    moves: readonly Move[] = [],
    { isSlow = false }: { readonly isSlow?: boolean } = {},
  ): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    this.#set({ ...initialState(setup), phase: "busy", status: "Starting…" });
    await this.#guard(run, async () => {
      const { role: _, player: _player, ...choice } = setup;
      const seats = seatsOf(setup.role, this.#seats);
      const started = await this.#session.start({ ...choice, seats });
      if (run !== this.#run) return;
      this.#set({ ...withView({ ...this.#state, seats }, started), started });
      for (const move of moves) {
        // A link contains no replies of models to a person.
        if (move.by === "person") await this.#askPlayers(run);
        if (run !== this.#run || this.#state.view?.isDone === true) break;
        if (isSlow) await pause(pauseMs);
        await this.#play(run, move);
      }
      await this.#continue(run);
    });
  }

  /** The person's reply. */
  async move(reply: Move["reply"]): Promise<void> {
    if (this.#state.phase !== "turn") return;
    const run = this.#run;
    await this.#guard(run, async () => {
      this.#set({ ...this.#state, phase: "busy", status: "Waiting for the environment…" });
      await this.#play(run, { by: "person", reply });
      await this.#continue(run);
    });
  }

  /** Takes back the person's last move, and all after it. */
  async undo(): Promise<void> {
    const { setup, moves } = this.#state;
    const last = moves.findLastIndex(({ by }) => by === "person");
    await this.start(setup, moves.slice(0, Math.max(0, last)));
  }

  /** Shows the reply of a model or a policy without playing it. */
  async hint(name: string): Promise<void> {
    if (this.#state.phase !== "turn") return;
    const run = this.#run;
    await this.#guard(run, async () => {
      this.#set({ ...this.#state, phase: "busy", status: `${name} is thinking…` });
      const message = await this.#ask(name, this.#state);
      if (run === this.#run)
        this.#set({ ...this.#state, phase: "turn", status: "", hint: { author: name, message } });
    });
  }

  /** Lets the models move until it is the person's turn. */
  async #continue(run: number): Promise<void> {
    await this.#askPlayers(run);
    const { view } = this.#state;
    if (run === this.#run && view !== undefined)
      this.#set({ ...this.#state, phase: view.isDone ? "over" : "turn", status: "" });
  }

  async #askPlayers(run: number): Promise<void> {
    while (run === this.#run) {
      const { view, setup } = this.#state;
      if (view === undefined || view.isDone || isPersons(this.#state)) return;
      this.#set({ ...this.#state, phase: "busy", status: `${setup.player} is thinking…` });
      if (setup.role === watching && this.#state.moves.length > 0) await pause(pauseMs);
      const reply = await this.#ask(setup.player, this.#state);
      if (run === this.#run) await this.#play(run, { by: "player", reply });
    }
  }

  async #play(run: number, move: Move): Promise<void> {
    const { view: before } = this.#state;
    const view = await this.#session.respond(move.reply);
    if (run !== this.#run) return;
    const { by, reply } = move;
    const message: AssistantMessage =
      typeof reply === "string" ? { role: "assistant", content: reply } : reply;
    const author = by === "person" ? "you" : this.#state.setup.player;
    const state = withEntries(this.#state, before?.seat, [{ message, author }]);
    const isShown = by === "player" && state.setup.role === watching;
    const lastReply = isShown ? { author, message } : state.lastReply;
    this.#set(withView({ ...state, lastReply, moves: [...state.moves, move] }, view));
  }

  /** Shows failures. The person can move again unless the episode is lost. */
  async #guard(run: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (run !== this.#run) return;
      const problem = messageOf(error);
      const isLost = error instanceof PlayError && error.isLost;
      const canMove = !isLost && isPersons(this.#state);
      this.#set({ ...this.#state, phase: canMove ? "turn" : "failed", status: "", problem });
    }
  }

  #set(state: GameState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether the person replies next. */
function isPersons({ view, seats, setup }: GameState): boolean {
  if (view === undefined || setup.role === watching) return false;
  return view.seat === undefined || view.seat === seats[0];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
