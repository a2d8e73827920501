import type { AssistantMessage } from "@envs/core";

import { modelsTurn, type Move, type PlaySetup, watching } from "./game-state.ts";

/** Servers reject longer addresses; the moves are left out then. */
const maxLength = 6000;

/** The content of a link to a game: the setup and the moves. */
export interface PlayLink {
  readonly setup: Partial<PlaySetup>;
  readonly moves: readonly Move[];
}

/**
 * The parameters of a link to a game. Replies of a model to a person are left out: the person must not see them, and the model
 * repeats them.
 */
export function writeAddress(setup: PlaySetup, moves: readonly Move[]): string {
  const { role, player, config, split, example, seed } = setup;
  const parameters = new URLSearchParams();
  if (example !== 0) parameters.set("example", `${example}`);
  if (seed !== 0) parameters.set("seed", `${seed}`);
  if (split !== undefined) parameters.set("split", split);
  if (Object.keys(config).length > 0) parameters.set("config", JSON.stringify(config));
  if (role !== modelsTurn) parameters.set("as", role);
  if (role !== modelsTurn && player !== "") parameters.set("with", player);
  const base = parameters.toString();
  const linked = role === watching ? moves : moves.filter(({ by }) => by === "person");
  if (linked.length > 0) parameters.set("moves", JSON.stringify(linked.map(shortMove)));
  const full = parameters.toString();
  return full.length > maxLength ? base : full;
}

/** Reads a link that anyone may have written: parameters that are not valid are ignored. */
export function readAddress(search: string): PlayLink {
  const parameters = new URLSearchParams(search);
  const config = record(json(parameters.get("config")));
  const role = parameters.get("as");
  const player = parameters.get("with");
  const split = parameters.get("split");
  const moves = json(parameters.get("moves"));
  return {
    setup: {
      ...whole("example", parameters.get("example")),
      ...whole("seed", parameters.get("seed")),
      ...(split === null ? {} : { split }),
      ...(config === undefined ? {} : { config }),
      ...(role === null || !/^[A-Za-z][\w-]{0,99}$/.test(role) ? {} : { role }),
      ...(player === null ? {} : { player }),
    },
    moves: Array.isArray(moves) ? readMoves(moves) : [],
  };
}

/** A text or a message is a reply of the person, a list has one of another player. */
function shortMove({ by, reply }: Move): unknown {
  return by === "person" ? reply : [reply];
}

function readMoves(list: readonly unknown[]): readonly Move[] {
  const moves: Move[] = [];
  for (const item of list) {
    const [by, reply] = Array.isArray(item)
      ? (["player", item[0] as unknown] as const)
      : (["person", item] as const);
    if (typeof reply !== "string" && !isMessage(reply)) return [];
    moves.push({ by, reply });
  }
  return moves;
}

function isMessage(value: unknown): value is AssistantMessage {
  const message = record(value);
  return (
    message?.["role"] === "assistant" &&
    typeof message["content"] === "string" &&
    (message["tool_calls"] === undefined || Array.isArray(message["tool_calls"]))
  );
}

function whole(name: "example" | "seed", text: string | null): Partial<PlaySetup> {
  return text !== null && /^\d{1,15}$/.test(text) ? { [name]: Number(text) } : {};
}

function json(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
