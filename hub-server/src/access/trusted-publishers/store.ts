import { randomUUID } from "node:crypto";

import type { Database } from "../../platform/database/connect.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Change } from "../../platform/hub/change.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import { type Configuration, type TrustedPublisher, trustedPublisher } from "./configuration.ts";

const most = 10;

/** Whose builds may publish a package. */
export async function trustedPublishers(
  database: Database,
  name: string,
): Promise<TrustedPublisher[]> {
  const rows = await database
    .selectFrom("trusted_publishers")
    .where("name", "=", name)
    .orderBy("created_at")
    .orderBy("id")
    .selectAll()
    .execute();
  return rows.map(trustedPublisher);
}

/** Whose trust it is. */
export interface Subject {
  readonly name: string;
  /** Undefined: the name is free, and will be a package by its first version. */
  readonly packageId: number | undefined;
  readonly ownerId: number;
}

interface Actor {
  readonly userId: number;
  readonly name: string;
}

/** Trusts further builds; resolves to those that are new. */
export async function addTrust(
  { database, now, event }: Change,
  { subject, actor }: { readonly subject: Subject; readonly actor: Actor },
  configurations: readonly Configuration[],
): Promise<TrustedPublisher[]> {
  const { name } = subject;
  const kept = await trustedPublishers(database, name);
  if (kept.length + configurations.length > most)
    throw new HubError("too-many-trusted-publishers", {
      message: `${name} has ${kept.length} trusted publishers, and may have ${most}. Revoke one first: npm trust list ${name}`,
    });
  const rows = await database
    .insertInto("trusted_publishers")
    .values(
      configurations.map(({ type, claims, permissions }) => ({
        id: randomUUID(),
        name,
        type,
        claims: JSON.stringify(claims),
        pinned_claims: null,
        permissions,
        created_by: actor.userId,
        created_at: now,
      })),
    )
    .returningAll()
    .execute();
  for (const { id, type, claims, permissions } of rows) {
    const detail = { id, type, claims, permissions };
    event({ type: "trust.added", actor: actor.name, detail, ...toldOf(subject) });
  }
  return rows.map(trustedPublisher);
}

/** Trusts a build no longer; the tokens that it got are gone with it. */
export async function removeTrust(
  { database, event }: Change,
  { subject, actor }: { readonly subject: Subject; readonly actor: Actor },
  id: string,
): Promise<void> {
  const removed = await database
    .deleteFrom("trusted_publishers")
    .where("id", "=", id)
    .where("name", "=", subject.name)
    .returning("type")
    .executeTakeFirst();
  if (removed === undefined) throw notFound(`The trusted publisher ${id} of ${subject.name}`);
  const detail = { id, type: removed.type };
  event({ type: "trust.removed", actor: actor.name, detail, ...toldOf(subject) });
}

/** Of a name that is still free, the owner of its scope alone is told. */
export function toldOf({
  name,
  packageId,
  ownerId,
}: Subject): Pick<HubEvent, "subject" | "packageId" | "organisationId"> {
  return {
    subject: name,
    ...(packageId === undefined ? { organisationId: ownerId } : { packageId }),
  };
}
