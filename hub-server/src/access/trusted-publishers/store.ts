import { randomUUID } from "node:crypto";

import type { FastifyRequest } from "fastify";

import { type Identity, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { isPackageName } from "../../platform/names/package-name.ts";
import { administratorMark, scopeMark } from "../permissions/administrator-mark.ts";
import { type PublishingRight, publishingRight } from "../permissions/publishing-right.ts";
import { findPackage } from "../permissions/require-package.ts";
import { type Configuration, type TrustedPublisher, trustedPublisher } from "./configuration.ts";

const maxPublishers = 10;

/** The trusted publishers of a package, oldest first. */
export async function listTrustedPublishers(
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

/** The package that trusts a publisher, or its free name: the first version can come from a trusted publisher. */
interface TrustingPackage {
  readonly name: string;
  /** Undefined while the package does not exist. */
  readonly packageId: number | undefined;
  /** The account that owns the package, or will own it. */
  readonly ownerId: number;
}

/** An authorized change of the trusted publishers of a package. */
interface TrustChange extends Change {
  readonly actor: { readonly userId: number; readonly name: string };
  /** Marks the event if only the rights of an administrator of the hub allow the change. */
  readonly mark: object;
  readonly package: TrustingPackage;
}

/** Adds trusted publishers to a package, and returns the new ones. */
export async function addTrustedPublishers(
  { database, now, event, actor, mark, package: package_ }: TrustChange,
  configurations: readonly Configuration[],
): Promise<TrustedPublisher[]> {
  const { name } = package_;
  const { length: count } = await listTrustedPublishers(database, name);
  if (count + configurations.length > maxPublishers)
    throw new HubError("too-many-trusted-publishers", {
      message: `${name} has too many trusted publishers: ${count} + ${configurations.length} > ${maxPublishers}. Revoke one first: npm trust list ${name}`,
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
    const detail = { id, type, claims, permissions, ...mark };
    event({ type: "trust.added", actor: actor.name, detail, ...eventTarget(package_) });
  }
  return rows.map(trustedPublisher);
}

/** Removes a trusted publisher. The database deletes the tokens that its builds received. */
export async function removeTrustedPublisher(
  { database, event, actor, mark, package: package_ }: TrustChange,
  id: string,
): Promise<void> {
  const row = await database
    .deleteFrom("trusted_publishers")
    .where("id", "=", id)
    .where("name", "=", package_.name)
    .returning("type")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`The trusted publisher ${id} of ${package_.name}`);
  const detail = { id, type: row.type, ...mark };
  event({ type: "trust.removed", actor: actor.name, detail, ...eventTarget(package_) });
}

/** An event about a free name is visible only to the account that owns the name's scope. */
export function eventTarget({
  name,
  packageId,
  ownerId,
}: TrustingPackage): Pick<HubEvent, "subject" | "packageId" | "organisationId"> {
  return {
    subject: name,
    packageId,
    organisationId: packageId === undefined ? ownerId : undefined,
  };
}

/** Changes the trusted publishers of a package for a request, after it has checked the caller's right and second factor. */
export async function changeTrust<Result>(
  hub: Hub,
  request: FastifyRequest,
  name: string,
  work: (change: TrustChange) => Promise<Result>,
): Promise<Result> {
  const actor = await requireWriter(hub, request);
  const { existingPackage: unlocked } = await requireTrustRight(hub.database, actor, name);
  await requireSecondFactorFor(hub, request, actor, unlocked);
  return await change(hub, async (change) => {
    const { existingPackage, ownerId } = await requireTrustRight(change.database, actor, name);
    const package_ = { name, packageId: existingPackage?.id, ownerId };
    const mark = await (existingPackage === undefined
      ? scopeMark(change.database, actor, ownerId)
      : administratorMark(change.database, actor, {
          packageId: existingPackage.id,
          required: "admin",
        }));
    return await work({ ...change, actor, mark, package: package_ });
  });
}

/** Requires `admin` on an existing package, or the right to publish a free name. */
export async function requireTrustRight(
  database: Database,
  identity: Identity,
  name: string,
): Promise<PublishingRight> {
  if (!isPackageName(name)) throw notFound(name);
  const right = await publishingRight(database, { identity, name });
  if (right.existingPackage === undefined) return right;
  const lookup = await findPackage(database, { identity, name, permission: "admin" });
  if (lookup?.isAllowed) return right;
  throw forbidden(
    `${identity.name} may publish ${name}, but not change its trusted publishers. Ask an owner of the package's scope.`,
  );
}
