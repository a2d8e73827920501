import type { Environment } from "@envs/core";
import { seatNamesOf } from "@envs/core/engine";

/** A seat as manifests and pages describe it. */
export interface SeatDescription {
  readonly name: string;
  /** Instructions for a person who takes the seat. */
  readonly description?: string | undefined;
  /** The policy that plays the seat unless a model does. */
  readonly policy?: string | undefined;
}

/** Describes the seats of an environment; none for a mix, whose parts have different ones. */
export function describeSeats(environment: Environment): readonly SeatDescription[] {
  const players = environment.definition.seats?.players;
  if (players === undefined) return [];
  return seatNamesOf(environment).map((name) => {
    const { description, policy } = players[name]!;
    return Object.assign(
      { name },
      description === undefined ? undefined : { description },
      policy === undefined ? undefined : { policy },
    );
  });
}
