import type { HubEvent } from "@envs/hub-client";

import { allows, permissionFor } from "../access/permissions.ts";
import type { Identity } from "../accounts/identity.ts";
import type { Database } from "../database/connect.ts";
import type { Row } from "../database/tables.ts";

/** Who reads: a stranger, a user, or the hub itself on behalf of a package's owner. */
type Reader = Identity | undefined | "everything";

export interface EventPage {
  readonly since: number;
  readonly limit: number;
  readonly reader: Reader;
}

/** The events after a sequence number, oldest first. Of what a reader may not know, only the hashes are told: the chain stays whole. */
export async function eventsAfter(
  database: Database,
  { since, limit, reader }: EventPage,
): Promise<HubEvent[]> {
  const rows = await database
    .selectFrom("events")
    .where("sequence", ">", since)
    .orderBy("sequence")
    .limit(limit)
    .selectAll()
    .execute();
  const readable =
    reader === "everything" ? undefined : await readablePackages(database, { rows, reader });
  return rows.map((row) =>
    told(row, row.package_id === null || readable === undefined || readable.has(row.package_id)),
  );
}

/** The newest sequence number; 0 while nothing has happened. */
export async function lastSequence(database: Database): Promise<number> {
  const row = await database
    .selectFrom("events")
    .select(({ fn }) => fn.max("sequence").as("last"))
    .executeTakeFirst();
  return row?.last ?? 0;
}

function told(row: Row<"events">, isReadable: boolean): HubEvent {
  const { sequence, previous_hash: previousHash, hash, at, type, actor, subject, detail } = row;
  const link = { sequence, previousHash, hash };
  return isReadable
    ? { ...link, at: at.toISOString(), type, actor, subject, detail: { ...detail } }
    : { ...link, isHidden: true };
}

async function readablePackages(
  database: Database,
  {
    rows,
    reader,
  }: { readonly rows: readonly Row<"events">[]; readonly reader: Identity | undefined },
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(rows.map(({ package_id }) => package_id))].filter((id) => id !== null);
  if (ids.length === 0) return new Set();
  const packages = await database
    .selectFrom("packages")
    .where("id", "in", ids)
    .selectAll()
    .execute();
  const readable = new Set<number>();
  for (const each of packages)
    if (allows(await permissionFor(database, reader, each), "read")) readable.add(each.id);
  return readable;
}
