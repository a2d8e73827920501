import type { Environment } from "./environment.ts";
import { partsOf } from "./part.ts";
import { trainableSeats } from "./seat.ts";

/** The names of the seats of an environment, in the order of the definition. A mix has the seats of its parts. */
export function seatNamesOf(environment: Environment): readonly string[] {
  const { seats, parts } = environment.definition;
  if (parts === undefined) return Object.keys(seats?.players ?? {});
  return [...new Set(partsOf(environment).flatMap(([, part]) => seatNamesOf(part)))];
}

/** The names of the seats of an environment that can be trained. A mix has the seats of its parts. */
export function trainableSeatsOf(environment: Environment): readonly string[] {
  const { seats, parts } = environment.definition;
  if (parts === undefined) return trainableSeats(seats?.players ?? {});
  return [...new Set(partsOf(environment).flatMap(([, part]) => trainableSeatsOf(part)))];
}
