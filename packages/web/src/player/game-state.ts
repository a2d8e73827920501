import type { AssistantMessage, Message } from "@envs/core";
import type { EpisodeView, StartedEpisode } from "@envs/records/bundle";

import type { PlayerSeat } from "./session.ts";

/** The role of a person who plays no seat. */
export const watching = "watch";
/** The role of a person who takes the model's turn in an environment without seats. */
export const modelsTurn = "model";

/** The choices of a person before an episode. */
export interface PlaySetup {
  /** The side that the person plays: the name of a seat, or {@link modelsTurn}, or {@link watching}. */
  readonly role: string;
  /** The player of the seats that neither the person nor a default policy takes: `tiny:<name>` or `policy:<name>`. */
  readonly player: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly split: string | undefined;
  readonly example: number;
  readonly seed: number;
}

/** A reply of the person or of the player. Sending all replies again brings a new episode to the same state. */
export interface Move {
  readonly by: "person" | "player";
  readonly reply: string | AssistantMessage;
}

/** The roles that a person can choose, the first by default. */
export function rolesOf(seats: readonly PlayerSeat[]): readonly string[] {
  const open = seats.filter(({ policy }) => policy === undefined);
  const names = (open.length > 0 ? open : seats).map(({ name }) => name);
  const others = seats.map(({ name }) => name).filter((name) => !names.includes(name));
  return [...(seats.length === 0 ? [modelsTurn] : [...names, ...others]), watching];
}

/** The seats whose replies the page sends: the person's, and those without a default policy. */
export function seatsOf(role: string, seats: readonly PlayerSeat[]): readonly string[] {
  const open = seats.filter(({ policy }) => policy === undefined).map(({ name }) => name);
  if (role !== watching) return [role, ...open].filter(isNew).filter((name) => name !== modelsTurn);
  return open.length > 0 ? open : seats.slice(0, 1).map(({ name }) => name);
}

/** Whether a model or a policy must reply, in addition to the person. */
export function needsPlayer(role: string, seats: readonly PlayerSeat[]): boolean {
  return role === watching || seatsOf(role, seats).length > 1;
}

function isNew(name: string, index: number, names: readonly string[]): boolean {
  return names.indexOf(name) === index;
}

/** A message of the conversation, and who is its author where that is not the environment. */
export interface Entry {
  readonly message: Message;
  readonly author?: string | undefined;
  /** The environment rejected this reply. */
  readonly isInvalid?: boolean | undefined;
}

/**
 * - `idle`: no episode; `busy`: the environment or the model is at work; `turn`: the person moves;
 * - `over`: the episode has ended; `failed`: it is lost.
 */
type Phase = "idle" | "busy" | "turn" | "over" | "failed";

/** Everything that the page shows of a game. */
export interface GameState {
  readonly phase: Phase;
  /** The activity while `busy`. */
  readonly status: string;
  readonly setup: PlaySetup;
  readonly started: StartedEpisode | undefined;
  /** The seats whose replies the page sends, the shown one first. Empty without seats. */
  readonly seats: readonly string[];
  readonly view: EpisodeView | undefined;
  /** The latest scores: a view in the middle of a step does not include them. */
  readonly scores: EpisodeView["scores"];
  /** The conversation that the page shows: the person's, or the first that they watch. */
  readonly entries: readonly Entry[];
  /** The players of other seats, by the name of the seat. */
  readonly others: Readonly<Record<string, readonly Entry[]>>;
  /** The player's last reply, for a person who watches: another seat must not see it. */
  readonly lastReply: { readonly author: string; readonly message: AssistantMessage } | undefined;
  readonly moves: readonly Move[];
  readonly hint: { readonly author: string; readonly message: AssistantMessage } | undefined;
  readonly problem: string | undefined;
}

export function initialState(setup: PlaySetup): GameState {
  return {
    phase: "idle",
    status: "",
    setup,
    started: undefined,
    seats: [],
    view: undefined,
    scores: undefined,
    entries: [],
    others: {},
    lastReply: undefined,
    moves: [],
    hint: undefined,
    problem: undefined,
  };
}

/** The seat whose conversation the page shows. */
function shownSeat({ seats }: GameState): string | undefined {
  return seats[0];
}

/** The conversation of the seat that replies next. */
export function entriesOf(state: GameState): readonly Entry[] {
  const seat = state.view?.seat;
  return isShown(state, seat) ? state.entries : (state.others[seat!] ?? []);
}

/** Adds entries to the conversation of a seat. */
export function withEntries(
  state: GameState,
  seat: string | undefined,
  added: readonly Entry[],
): GameState {
  if (isShown(state, seat)) return { ...state, entries: [...state.entries, ...added] };
  const before = state.others[seat!] ?? [];
  return { ...state, others: { ...state.others, [seat!]: [...before, ...added] } };
}

function isShown(state: GameState, seat: string | undefined): boolean {
  return seat === undefined || seat === shownSeat(state);
}

/** The game after the environment has returned a view. */
export function withView(state: GameState, view: EpisodeView): GameState {
  const added = view.messages.map((message): Entry => ({ message }));
  return {
    ...withEntries({ ...state, entries: markRejected(state.entries, view) }, view.seat, added),
    view,
    scores: view.scores ?? state.scores,
    hint: undefined,
    problem: undefined,
  };
}

/** Marks the last reply if the environment has rejected it. */
function markRejected(entries: readonly Entry[], { isInvalid }: EpisodeView): readonly Entry[] {
  if (isInvalid !== true) return entries;
  const last = entries.findLastIndex(({ message }) => message.role === "assistant");
  return entries.map((entry, index) => (index === last ? { ...entry, isInvalid } : entry));
}
