import type { AssistantMessage } from "@envs/core";

import type { PlayerSeat } from "./props.ts";

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
