import type { Environment } from "./environment.ts";
import { partsOf } from "./part.ts";
import { type Seats, trainableSeats } from "./seat.ts";

/** The names of the seats of an environment, in the order of the definition. A mix has the seats of its parts. */
export function seatNamesOf(
  environment: Environment,
  namesOf: (seats: Seats) => readonly string[] = Object.keys,
): readonly string[] {
  const { seats, parts } = environment.definition;
  if (parts === undefined) return namesOf(seats?.players ?? {});
  return [...new Set(partsOf(environment).flatMap(([, part]) => seatNamesOf(part, namesOf)))];
}

/** The names of the seats of an environment that can be trained. A mix has the seats of its parts. */
export function trainableSeatsOf(environment: Environment): readonly string[] {
  return seatNamesOf(environment, trainableSeats);
}
