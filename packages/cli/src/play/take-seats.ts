import { ConfigError, type Environment } from "@envs/core";
import { defaultSeats, seatNamesOf } from "@envs/core/engine";

/** The seats of an environment by player. */
export interface TakenSeats {
  /** The person's; `undefined` without seats. */
  readonly person: string | undefined;
  /** The model's. Policies play the others. */
  readonly model: readonly string[];
}

/**
 * Assigns the seats to a person, by default the one that a model would take, and to a model against which they play. With a model, the
 * person's default is the first seat that a model would not take. Throws a `ConfigError` for a seat that nothing plays.
 */
export function takeSeats(
  environment: Environment,
  { seat, hasModel }: { readonly seat: string | undefined; readonly hasModel: boolean },
): TakenSeats {
  const { name, definition } = environment;
  const names = seatNamesOf(environment);
  const { seats } = definition;
  if (seats === undefined) {
    if (seat !== undefined) throw new ConfigError(`${name} has no seats. Remove --seat.`);
    if (!hasModel) return { person: undefined, model: [] };
    throw new ConfigError(
      `${name} has no seat that you could play against the model. Remove -m to answer in the model's place, or evaluate the model with envs eval.`,
    );
  }
  if (seat !== undefined && !names.includes(seat))
    throw new ConfigError(
      `${name} has no seat named ${JSON.stringify(seat)}. Its seats are: ${names.join(", ")}.`,
    );
  const usual = defaultSeats(seats);
  const person =
    seat ?? (hasModel ? names.find((each) => !usual.includes(each)) : usual[0]) ?? names[0]!;
  const others = names.filter((each) => each !== person);
  if (hasModel) return { person, model: others };
  const open = others.find((each) => seats[each]!.policy === undefined);
  if (open === undefined) return { person, model: [] };
  throw new ConfigError(
    `Nothing plays the seat ${open} of ${name}: it has no default policy. Pass a model with -m, such as -m policy:${Object.keys(definition.policies ?? {})[0] ?? "<name>"}.`,
  );
}
