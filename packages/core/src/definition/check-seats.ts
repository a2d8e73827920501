import { ConfigError } from "../errors.ts";
import { parsePolicy, randomPolicy } from "../model/policy.ts";
import type { AnyDefinition } from "./environment.ts";
import { trainableSeats } from "./seat.ts";

/** Throws a `ConfigError` for seats that no episode could be played with. */
export function checkSeats(definition: AnyDefinition): void {
  const { name, seats } = definition;
  if (seats === undefined) return checkNoSeats(definition);
  const names = Object.keys(seats);
  if (names.length === 0)
    throw new ConfigError(
      `${name} has no seats in \`seats\`. Add one, such as { white: {}, black: {} }, or omit the key.`,
    );
  const unusual = names.find((seat) => !/^[A-Za-z][\w-]*$/.test(seat));
  if (unusual !== undefined)
    throw new ConfigError(
      `${name} has a seat named ${JSON.stringify(unusual)}. A name is letters, digits, _ and -, and starts with a letter.`,
    );
  if (definition.turn === undefined)
    throw new ConfigError(
      `${name} has seats, but no turn. Add turn: ({ state }) => …, which returns the seat that replies next.`,
    );
  if (trainableSeats(seats).length === 0)
    throw new ConfigError(
      `No seat of ${name} is trainable, so no model could be evaluated. Remove \`trainable: false\` from one.`,
    );
  for (const seat of names) checkDefaultPolicy(definition, seat);
}

function checkNoSeats({ name, turn, observe }: AnyDefinition): void {
  const hook = turn === undefined ? (observe === undefined ? undefined : "observe") : "turn";
  if (hook !== undefined)
    throw new ConfigError(
      `${name} has ${hook}, but no seats. Add seats: { … } with the names that turn returns.`,
    );
}

function checkDefaultPolicy(
  { name, seats, policies = {}, choices }: AnyDefinition,
  seat: string,
): void {
  const policy = seats![seat]!.policy;
  if (policy === undefined) return;
  const base = parsePolicy(policy)?.name;
  if (base !== undefined && Object.hasOwn(policies, base)) return;
  if (base === randomPolicy && choices !== undefined) return;
  throw new ConfigError(
    `The seat ${seat} of ${name} has the default policy ${JSON.stringify(policy)}, which is not one of its policies: ${Object.keys(policies).join(", ") || "no policies"}.`,
  );
}
