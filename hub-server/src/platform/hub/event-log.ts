import { createHash } from "node:crypto";

import type { EventType } from "@envs/hub-client";
import { sql, type Transaction } from "kysely";

import type { Row, Tables } from "../database/tables.ts";

/** An entry of the event log, a hash chain that clients can follow and verify. */
export interface HubEvent {
  readonly type: EventType;
  readonly actor: string | null;
  /** The changed version (`@envs/tictactoe@0.2.0`), user or organisation. */
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly packageId?: number | undefined;
  /** Restricts the event to the members of an organisation, or to one user. */
  readonly organisationId?: number | undefined;
}

/** The key of the advisory lock; any number that no other code uses. */
const lock = 727_101_001;
const origin = "0".repeat(64);

/** Appends events to the log. Other transactions wait with their events until this one has committed. */
export async function appendEvents(
  transaction: Transaction<Tables>,
  events: readonly (HubEvent & { readonly at: Date })[],
): Promise<void> {
  if (events.length === 0) return;
  let { sequence, hash } = await lockEnd(transaction);
  const rows = events.map((event) => {
    const { at, type, actor, subject, detail = {}, packageId, organisationId } = event;
    const row = {
      sequence: sequence + 1,
      at,
      type,
      actor,
      subject,
      detail,
      package_id: packageId ?? null,
      organisation_id: organisationId ?? null,
      previous_hash: hash,
    };
    ({ sequence } = row);
    hash = eventHash(row);
    return { ...row, detail: JSON.stringify(detail), hash };
  });
  await transaction.insertInto("events").values(rows).execute();
}

async function lockEnd(
  transaction: Transaction<Tables>,
): Promise<Pick<Row<"events">, "sequence" | "hash">> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
  const last = await transaction
    .selectFrom("events")
    .select(["sequence", "hash"])
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return last ?? { sequence: 0, hash: origin };
}

/** SHA-256 of an event and the previous hash. A length prefix for each part makes the encoding unambiguous. */
export function eventHash(event: {
  readonly sequence: number;
  readonly at: Date;
  readonly type: string;
  readonly actor: string | null;
  readonly subject: string;
  readonly detail: unknown;
  readonly previous_hash: string;
}): string {
  const { previous_hash, sequence, at, type, actor, subject, detail } = event;
  const hash = createHash("sha256");
  for (const part of [
    previous_hash,
    String(sequence),
    at.toISOString(),
    type,
    actor ?? "",
    subject,
    canonical(detail),
  ])
    hash.update(`${Buffer.byteLength(part)}:${part}`);
  return hash.digest("hex");
}

/** Sorts keys, because jsonb does not preserve their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
