import { type HubEvent, routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";
import { expressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";

import { readableBy } from "../access/permissions/permission-query.ts";
import { identify, type Identity } from "../identity/request/identity.ts";
import { isLimited } from "../identity/request/manager.ts";
import type { Database, Row, Tables } from "../platform/database/tables.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { isAbout, isLimitedTo, type LogSubject } from "./log-subject.ts";

/** The API route of the event log, for mirrors and monitoring. */
export function eventRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.readEvents, async ({ query, request }) => {
    const reader = await identify(hub, request);
    const last = await lastSequence(hub.database);
    return { items: await eventsAfter(hub.database, { ...query, reader }), last };
  });
}

interface EventPage extends LogSubject {
  readonly since: number;
  readonly limit: number;
  /** Undefined for an anonymous client. */
  readonly reader: Identity | undefined;
}

/**
 * Returns the events after a sequence number, oldest first. Events that the reader may not see contain only their hashes, so
 * that the chain can still be verified.
 */
async function eventsAfter(
  database: Database,
  { since, limit, reader, ...subject }: EventPage,
): Promise<HubEvent[]> {
  const rows = await database
    .selectFrom("events")
    .leftJoin("packages", "packages.id", "events.package_id")
    .where("sequence", ">", since)
    // Without a subject, the chain is complete. With one, hidden events would reveal that the subject exists.
    .$if(isLimitedTo(subject), (query) => query.where(isAbout(subject)).where(isVisibleTo(reader)))
    .orderBy("sequence")
    .limit(limit)
    .selectAll("events")
    .select(isVisibleTo(reader).as("isVisible"))
    .execute();
  return rows.map(({ isVisible, ...row }) => toEvent(row, isVisible === true));
}

/** Events of private packages are visible to their readers, those of organisations to members, those of users to the user. */
function isVisibleTo(reader: Identity | undefined): ExpressionWrapper<Tables, never, SqlBool> {
  const query = expressionBuilder<Tables, "events" | "packages">();
  // A token limited to packages sees only the events of packages.
  const member = reader === undefined || isLimited(reader) ? undefined : reader;
  const isMember = query.exists(
    query
      .selectFrom("memberships")
      .whereRef("memberships.organisation_id", "=", "events.organisation_id")
      .where("memberships.user_id", "=", member?.userId ?? null)
      .select("memberships.user_id"),
  );
  return query.and([
    query.or([
      query("events.package_id", "is", null),
      // Mirrors follow the events of a public package also while it is quarantined.
      query("packages.access", "=", "public"),
      readableBy(reader),
    ]),
    query.or([
      query("events.organisation_id", "is", null),
      query("events.organisation_id", "=", member?.userId ?? null),
      query.lit(member?.isAdmin ?? false),
      isMember,
    ]),
  ]);
}

/** The newest sequence number, or 0 for an empty log. */
async function lastSequence(database: Database): Promise<number> {
  const row = await database
    .selectFrom("events")
    .select(({ fn }) => fn.max("sequence").as("last"))
    .executeTakeFirst();
  return row?.last ?? 0;
}

function toEvent(row: Row<"events">, isVisible: boolean): HubEvent {
  const { sequence, previous_hash: previousHash, hash, at, type, actor, subject, detail } = row;
  const link = { sequence, previousHash, hash };
  return isVisible
    ? { ...link, at: at.toISOString(), type, actor, subject, detail: { ...detail } }
    : { ...link, isHidden: true };
}
