import type { Random } from "@envs/core";

/** A value of a cell. */
export type Cell = string | number | null;

/** Rows by table, in the order in which they are inserted. */
export type Tables = Readonly<Record<string, readonly (readonly Cell[])[]>>;

/** A question with the query that answers it. */
export interface Question {
  readonly question: string;
  readonly query: string;
  /** Whether the question asks for an order, which then has no ties. */
  readonly isOrdered?: boolean | undefined;
}

/** Tables about one subject, and questions about them. */
export interface Domain {
  /** The statements that create its tables. */
  readonly schema: string;
  /** Draws rows. Databases of different streams differ in their sizes, and have ties, gaps and NULLs in different places. */
  readonly fill: (random: Random) => Tables;
  /** The questions by kind. Each draws the numbers and names of one question. */
  readonly questions: Readonly<Record<string, (random: Random) => Question>>;
}

/** A whole number from `min` to `max`. */
export function between(random: Random, min: number, max: number): number {
  return min + random.int(max - min + 1);
}

/** A day of the years 2023 to 2025. */
export function day(random: Random): string {
  return date(between(random, 2023, 2025), between(random, 1, 12), between(random, 1, 28));
}

/** A day in the middle of these years: there are rows before it and after it. */
export function middleDay(random: Random): string {
  const month = between(random, 6, 29);
  return date(2023 + Math.floor(month / 12), 1 + (month % 12), between(random, 1, 28));
}

function date(...parts: readonly number[]): string {
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** Rows with their index, from 1. */
export function rows(
  count: number,
  row: (id: number) => readonly Cell[],
): readonly (readonly Cell[])[] {
  return Array.from({ length: count }, (_, index) => row(index + 1));
}
