import type { Random } from "@envs/core";
import type { Json } from "@envs/sandbox";

/** The arguments of one call. */
export type Arguments = readonly Json[];

/** A small program, without a bug. */
export interface Program {
  readonly name: string;
  readonly source: string;
  /** Bugs by kind: a text of the source, and its replacement. */
  readonly bugs: Readonly<Record<string, readonly [from: string, to: string]>>;
  /** Draws the arguments of a call. */
  readonly input: (random: Random) => Arguments;
}

/** Draws the names and constants of a program. */
export type Draw = (random: Random) => Program;

/** A whole number from `min` to `max`. */
export function between(random: Random, min: number, max: number): number {
  return min + random.int(max - min + 1);
}

/** A list of as many items as drawn. */
export function list<Item>(
  random: Random,
  [min, max]: readonly [number, number],
  item: () => Item,
): Item[] {
  return Array.from({ length: between(random, min, max) }, item);
}
