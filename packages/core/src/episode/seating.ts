import { Conversation, type ConversationSite } from "./conversation.ts";
import type { EpisodeOptions } from "./options.ts";
import { seatPlayers } from "./seat-players.ts";
import { Table, type TableEpisode } from "./table.ts";

/** The conversations of one episode. */
export interface Seating {
  /** The conversation of the driver. */
  readonly own: Conversation;
  /** The conversations of the other seats that the driver's players take. */
  readonly others: readonly Conversation[];
  /** The conversations of all seats. */
  readonly all: readonly Conversation[];
  /** Plays the other seats; `undefined` without seats. */
  readonly table: Table | undefined;
}

/** Creates the conversation of each seat; without seats, of the model. */
export function createSeating(
  site: ConversationSite,
  options: EpisodeOptions,
  current: () => TableEpisode,
): Seating {
  const seats = seatPlayers(site.environment, options);
  if (seats === undefined) {
    const own = new Conversation(site);
    return { own, others: [], all: [own], table: undefined };
  }
  const all = seats.names.map((name) => new Conversation(site, name));
  const own = all.find(({ seat }) => seat === seats.own)!;
  const others = all.filter(({ seat }) => seats.recorded.includes(seat!));
  const { turn } = site.environment.definition.seats!;
  const table = new Table(current(), {
    conversations: all,
    players: seats.players,
    readers: [own, ...others],
    nextSeats: () => site.scope.run("environment", "turn", () => turn(own.context)),
  });
  return { own, others, all, table };
}
