import type { Environment } from "../definition/environment.ts";
import { ConfigError } from "../errors.ts";
import { parsePolicy } from "../model/policy.ts";
import type { Seed } from "../random.ts";
import type { EpisodeOptions } from "./options.ts";
import type { Player } from "./table.ts";

/** Which seat of an episode the driver takes, and who plays the others. */
export interface SeatPlayers {
  readonly names: readonly string[];
  readonly own: string;
  /** The other seats that players of the driver take. */
  readonly recorded: readonly string[];
  readonly players: ReadonlyMap<string, Player>;
}

/**
 * Assigns a player to each seat but the driver's; `undefined` without seats. Throws a `ConfigError` for an unknown seat, and
 * for one that neither a player nor a policy plays.
 */
export function seatPlayers(
  { name, definition }: Environment,
  { seat, players = {}, seed = 0 }: Pick<EpisodeOptions, "seat" | "players" | "seed">,
): SeatPlayers | undefined {
  const seats = definition.seats?.players;
  if (seats === undefined) {
    if (seat !== undefined || Object.keys(players).length > 0) throw withoutSeats(name);
    return undefined;
  }
  const names = Object.keys(seats);
  const own = seat ?? names[0]!;
  for (const each of [own, ...Object.keys(players)])
    if (!Object.hasOwn(seats, each)) throw unknownSeat(name, each, names);
  const others = names.filter((other) => other !== own);
  return {
    names,
    own,
    recorded: others.filter((other) => Object.hasOwn(players, other)),
    players: new Map(
      others.map((other) => {
        const policy = seats[other]!.policy;
        if (Object.hasOwn(players, other)) return [other, players[other]!];
        if (policy !== undefined) return [other, policyPlayer(policy, [seed, "seat", other])];
        throw unplayedSeat(name, other);
      }),
    ),
  };
}

/** Plays one of the environment's policies. */
function policyPlayer(policy: string, seed: Seed): Player {
  const { name, parameter } = parsePolicy(policy)!;
  return async (conversation) => ({
    message: await conversation.askPolicy(name, seed, parameter),
    finish: "stop",
  });
}

/** The error for a seat that an environment does not have. */
export function unknownSeat(
  environment: string,
  seat: string,
  names: readonly string[],
): ConfigError {
  return new ConfigError(
    `${environment} has no seat named ${JSON.stringify(seat)}. Its seats are: ${names.join(", ")}.`,
  );
}

/** The error for a driver that assigns seats in an environment without seats. */
export function withoutSeats(environment: string): ConfigError {
  return new ConfigError(
    `${environment} has no seats. Pass one model, without the name of a seat.`,
  );
}

/** The error for a part of a mix of which no seat has a model. */
export function unplayedPart(part: string, names: readonly string[]): ConfigError {
  return new ConfigError(
    `No model plays ${part}, a part of the mix: its seats are ${names.join(", ")}. Pass a model for one of them, as in { ${names[0]}: model }, or one model for all parts.`,
  );
}

/** The error for a seat that has neither a model nor a default policy. */
export function unplayedSeat(environment: string, seat: string): ConfigError {
  return new ConfigError(
    `No model plays the seat ${seat} of ${environment}, and it has no default policy. Pass a model for it, as in { ${seat}: model }, or on the command line: -m ${seat}=<model>.`,
  );
}
