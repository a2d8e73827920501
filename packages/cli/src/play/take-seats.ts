import { ConfigError, type Environment } from "@envs/core";
import { defaultSeats, seatNamesOf } from "@envs/core/engine";

/** The seats of an environment by player. */
export interface TakenSeats {
  /** The seat of the person; `undefined` without seats. */
  readonly person: string | undefined;
  /** The seats of models. Policies play the other seats. */
  readonly models: readonly string[];
}

type Seats = NonNullable<Environment["definition"]["seats"]>["players"];

interface SeatChoice {
  /** The seat that the person chose. */
  readonly seat: string | undefined;
  /** The seats of the models, `others` for one model that takes all other seats, or `undefined` without a model. */
  readonly models: readonly string[] | "others" | undefined;
}

/**
 * Assigns the seats to a person, by default the one that a model would take, and to the models against which they play. With
 * models, the person's default is a seat that the models would not take. Throws a `ConfigError` for a seat without a player.
 */
export function takeSeats(environment: Environment, { seat, models }: SeatChoice): TakenSeats {
  const { name, definition } = environment;
  const names = seatNamesOf(environment);
  const seats = definition.seats?.players;
  if (definition.parts !== undefined && (seat !== undefined || models !== undefined))
    throw new ConfigError(
      `${name} is a mix, whose parts have different seats. Play one of its parts: ${Object.keys(definition.parts).join(", ")}.`,
    );
  if (seats === undefined) {
    if (seat !== undefined) throw new ConfigError(`${name} has no seats. Remove --seat.`);
    if (models === undefined) return { person: undefined, models: [] };
    throw new ConfigError(
      `${name} has no seat that you could play against the model. Remove -m to answer in the model's place, or evaluate the model with envs eval.`,
    );
  }
  if (seat !== undefined && !names.includes(seat))
    throw new ConfigError(
      `${name} has no seat named ${JSON.stringify(seat)}. Its seats are: ${names.join(", ")}.`,
    );
  const isOpen = (each: string): boolean => seats[each]!.policy === undefined;
  const person = seat ?? usualSeat(seats, models);
  if (person === undefined)
    throw new ConfigError(
      `-m has a model for each seat of ${name}, so none is left for you. Remove one, or evaluate the models with envs eval.`,
    );
  const others = names.filter((each) => each !== person);
  const taken = models === "others" ? others : (models ?? []);
  if (taken.includes(person))
    throw new ConfigError(
      `--seat ${person} takes a seat for which -m has a model. Remove ${person}=… from -m, or choose another seat.`,
    );
  const open = others.find((each) => isOpen(each) && !taken.includes(each));
  if (open === undefined) return { person, models: taken };
  const policy = `policy:${Object.keys(definition.policies ?? {})[0] ?? "<name>"}`;
  throw new ConfigError(
    `Nothing plays the seat ${open} of ${name}: it has no default policy. Pass a model with -m, such as -m ${models === undefined ? policy : `${open}=${policy}`}.`,
  );
}

/** The seat of a person who has not chosen one; `undefined` if models have all. */
function usualSeat(seats: Seats, models: SeatChoice["models"]): string | undefined {
  const names = Object.keys(seats);
  const usual = defaultSeats(seats);
  if (models === undefined) return usual[0] ?? names[0];
  if (models === "others") return names.find((each) => !usual.includes(each)) ?? names[0];
  const free = names.filter((each) => !models.includes(each));
  return free.find((each) => seats[each]!.policy === undefined) ?? free[0];
}
