import type { FastifyRequest } from "fastify";

import { identify, type Identity } from "../../identity/request/identity.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
import { forbidden, HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isPackageName } from "../../platform/names/package-name.ts";
import { hasPermission, type Permission, readableBy } from "./permission-query.ts";
import { rejectRestricted } from "./restriction.ts";

export type Package = Row<"packages">;

/** A package, and the permissions that an identity has on it. */
interface PackageLookup {
  readonly package: Package;
  readonly isReadable: boolean;
  /** Whether the identity has the required permission. */
  readonly isAllowed: boolean;
}

interface PackageQuery {
  readonly identity: Identity | undefined;
  readonly name: string;
  readonly permission: Permission;
}

/** Finds a package whether or not the identity may read it. For requests, use {@link requirePackage}. */
export async function findPackage(
  database: Database,
  { identity, name, permission }: PackageQuery,
): Promise<PackageLookup | undefined> {
  const row = await database
    .selectFrom("packages")
    .where("name", "=", name)
    .selectAll()
    .select(readableBy(identity).as("isReadable"))
    .select(hasPermission(identity, permission).as("isAllowed"))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { isReadable, isAllowed, ...package_ } = row;
  return { package: package_, isReadable, isAllowed };
}

/** Returns the package if the identity has the permission. Throws `not-found` if the identity cannot read it. */
export async function requirePackage(database: Database, query: PackageQuery): Promise<Package> {
  const { identity, name } = query;
  const lookup = await findPackage(database, query);
  if (lookup === undefined || !lookup.isReadable) throw notFound(name);
  if (lookup.isAllowed) return lookup.package;
  throw forbidden(
    `${identity?.name ?? "A client without a token"} may not change ${name}. Ask one of its owners: npm owner ls ${name}`,
  );
}

/** Rejects a change of an archived package. */
export function rejectArchived({ name, archived_at }: Package): void {
  if (archived_at === null) return;
  throw new HubError("package-archived", {
    message: `${name} is archived and cannot change. An owner can restore it: envs hub archive ${name} --undo`,
  });
}

/**
 * Returns the package if the client of a request may read it. A public package needs no token, so its token is not
 * checked. An invalid token gets the same error for a private package as for a missing one.
 */
export async function readablePackage(
  hub: Hub,
  request: FastifyRequest,
  name: string,
): Promise<Package> {
  if (!isPackageName(name)) throw notFound(name);
  const package_ = await hub.database
    .selectFrom("packages")
    .where("name", "=", name)
    .selectAll()
    .executeTakeFirst();
  if (package_?.access === "public" && package_.restriction === null) return package_;
  const identity = await identify(hub, request);
  if (package_ === undefined) throw notFound(name);
  const lookup = await findPackage(hub.database, { identity, name, permission: "read" });
  const mayRead = lookup?.isReadable === true;
  if (!mayRead && package_.access !== "public") throw notFound(name);
  const isOpen = package_.restriction !== "taken-down" || (await isModerator(hub, identity));
  if (!mayRead || !isOpen) await rejectRestricted(hub.database, package_);
  return package_;
}

/** Like {@link readablePackage}, but also rejects a package that moderators have quarantined if its owners request it. */
export async function installablePackage(
  hub: Hub,
  request: FastifyRequest,
  name: string,
): Promise<Package> {
  const package_ = await readablePackage(hub, request, name);
  await rejectRestricted(hub.database, package_);
  return package_;
}

async function isModerator({ database }: Hub, identity: Identity | undefined): Promise<boolean> {
  if (identity === undefined || identity.isAdmin) return identity !== undefined;
  const row = await database
    .selectFrom("users")
    .where("account_id", "=", identity.userId)
    .where("is_moderator", "=", true)
    .select("account_id")
    .executeTakeFirst();
  return row !== undefined;
}
