import { ConfigError } from "../errors.ts";
import { parsePolicy, randomPolicy } from "../model/policy.ts";
import type { AnyDefinition } from "./environment.ts";
import { trainableSeats } from "./seat.ts";

/** Throws a `ConfigError` for seats that no episode could be played with. */
export function checkSeats(definition: AnyDefinition): void {
  const { name, seats } = definition;
  if (seats === undefined) return;
  const { players = {}, turn } = seats as Partial<typeof seats>;
  const names = Object.keys(players);
  if (names.length === 0)
    throw new ConfigError(
      `${name} has no players in \`seats\`. Add some, such as seats: { players: { white: {}, black: {} } }, or omit the key.`,
    );
  const unusual = names.find((seat) => !/^[A-Za-z][\w-]*$/.test(seat));
  if (unusual !== undefined)
    throw new ConfigError(
      `${name} has a seat named ${JSON.stringify(unusual)}. A name is letters, digits, _ and -, and starts with a letter.`,
    );
  if (turn === undefined)
    throw new ConfigError(
      `${name} has seats, but no seats.turn. Add turn: ({ state }) => …, which returns the seat that replies next.`,
    );
  if (trainableSeats(players).length === 0)
    throw new ConfigError(
      `No seat of ${name} is trainable, so no model could be evaluated. Remove \`trainable: false\` from one.`,
    );
  for (const [seat, { policy }] of Object.entries(players))
    if (policy !== undefined) checkDefaultPolicy(definition, seat, policy);
}

function checkDefaultPolicy(
  { name, policies = {}, game }: AnyDefinition,
  seat: string,
  policy: string,
): void {
  const base = parsePolicy(policy)?.name;
  if (base !== undefined && Object.hasOwn(policies, base)) return;
  if (base === randomPolicy && game?.choices !== undefined) return;
  throw new ConfigError(
    `The seat ${seat} of ${name} has the default policy ${JSON.stringify(policy)}, which is not one of its policies: ${Object.keys(policies).join(", ") || "no policies"}.`,
  );
}
