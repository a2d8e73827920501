import type { HubEvent } from "@envs/hub-client";
import { type AliasableExpression, expressionBuilder, type SqlBool } from "kysely";

import { readableBy } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import { isLimited } from "../identity/request/manager.ts";
import type { Database } from "../platform/database/connect.ts";
import type { Row, Tables } from "../platform/database/tables.ts";

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
    .leftJoin("packages", "packages.id", "events.package_id")
    .where("sequence", ">", since)
    .orderBy("sequence")
    .limit(limit)
    .selectAll("events")
    .select(isToldTo(reader).as("isTold"))
    .execute();
  return rows.map(({ isTold, ...row }) => told(row, isTold === true));
}

/** Of a private package, its readers hear; of what happens inside an organisation, its members; of what is a user's own, the user. */
function isToldTo(reader: Reader): AliasableExpression<SqlBool | null> {
  const query = expressionBuilder<Tables, "events" | "packages">();
  if (reader === "everything") return query.lit(true);
  // A token for some packages is told of those.
  const member = reader === undefined || isLimited(reader) ? undefined : reader;
  const isMember = query.exists(
    query
      .selectFrom("memberships")
      .whereRef("memberships.organisation_id", "=", "events.organisation_id")
      .where("memberships.user_id", "=", member?.userId ?? null)
      .select("memberships.user_id"),
  );
  return query.and([
    query.or([query("events.package_id", "is", null), readableBy(reader)]),
    query.or([
      query("events.organisation_id", "is", null),
      query("events.organisation_id", "=", member?.userId ?? null),
      query.lit(member?.isAdmin ?? false),
      isMember,
    ]),
  ]);
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
