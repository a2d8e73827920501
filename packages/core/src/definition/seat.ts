import type { DeepReadonly } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { EpisodeContext, SeatContext, TurnContext } from "./context.ts";

/** One side of an episode. */
export interface SeatDefinition<Config = unknown, E = unknown> {
  /** Instructions for a person who takes the seat, such as `You play O.` */
  readonly description?: string | undefined;
  /**
   * The policy that plays the seat if the driver has no model for it, such as `optimal` or `mixed(0.3)`. It draws the same
   * numbers in each rollout of an example.
   */
  readonly policy?: string | undefined;
  /** Whether a model can be trained in this seat, and plays it when one model plays all seats. Default true. */
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

/** The sides of an episode, and whose turn it is. */
export interface SeatsDefinition<Config, E, State, Seat extends string> {
  /** The seats by name, each with its own conversation: `{ white: {}, black: { policy: "best" } }`. */
  readonly players: { readonly [Key in Seat]: SeatDefinition<Config, E> };
  /**
   * Returns the seat that replies next. Several seats reply at the same time: none sees the replies of the others before all
   * of them have replied.
   */
  turn(
    this: void,
    context: TurnContext<Config, E, State>,
  ): NoInfer<Seat> | readonly NoInfer<Seat>[];
  /**
   * What a seat reads before it replies, and at the end: its private view of what the other seats have done. It is skipped
   * if the seat has something to answer and no other seat has replied since.
   */
  observe?(
    this: void,
    context: EpisodeContext<Config, E, State, SeatIn<Seat>>,
  ): string | readonly Message[] | Promise<string | readonly Message[]>;
}

/** The seats of a definition by name, in its order. */
export type Seats = Readonly<Record<string, SeatDefinition<never, never>>>;

/** The seats that can be trained. */
export function trainableSeats(seats: Seats): readonly string[] {
  return Object.keys(seats).filter((name) => seats[name]!.trainable !== false);
}

/** The seats that one model plays if the caller does not name a seat: those without a default policy, or else the first. */
export function defaultSeats(seats: Seats): readonly string[] {
  const trainable = trainableSeats(seats);
  const open = trainable.filter((name) => seats[name]!.policy === undefined);
  return open.length > 0 ? open : trainable.slice(0, 1);
}
