import type { DeepReadonly } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { SeatContext } from "./context.ts";

/** One side of an episode. */
export interface SeatDefinition<Config = unknown, E = unknown> {
  /** Instructions for a person who takes the seat, such as `You play O.` */
  readonly description?: string | undefined;
  /**
   * The policy that plays the seat if the driver has no model for it, such as `optimal` or `mixed(0.3)`. It draws the same
   * numbers in each rollout of an example.
   */
  readonly policy?: string | undefined;
  /** Whether a model can be trained in this seat, and takes it if it takes all. Default true. */
  readonly trainable?: boolean | undefined;
  /** Replaces the `systemPrompt` of the environment. */
  readonly systemPrompt?:
    | string
    | ((context: { readonly config: DeepReadonly<Config> }) => string)
    | undefined;
  /** The first messages of the seat. Default: the prompt of the example. Return `[]` for a seat that begins with `observe`. */
  prompt?(context: SeatContext<Config, E>): string | readonly Message[];
}

/** The seat in a context: a name, or `undefined` in an environment without `seats`. */
export type SeatIn<Seat extends string> = [Seat] extends [never] ? undefined : NoInfer<Seat>;

/** The seats of a definition by name, in its order. */
export type Seats = Readonly<Record<string, SeatDefinition<never, never>>>;

/** The seats that can be trained. */
export function trainableSeats(seats: Seats): readonly string[] {
  return Object.keys(seats).filter((name) => seats[name]!.trainable !== false);
}

/** The seats that a model takes if it is not given a seat: those without a default policy, or else the first. */
export function defaultSeats(seats: Seats): readonly string[] {
  const trainable = trainableSeats(seats);
  const open = trainable.filter((name) => seats[name]!.policy === undefined);
  return open.length > 0 ? open : trainable.slice(0, 1);
}
