import { sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { similarityKeys, tooSimilar } from "../../platform/names/similarity.ts";
import { requireTokenScope, tokenAllows } from "./permission-query.ts";
import { findPackage, type Package } from "./require-package.ts";

/** The right to publish or stage versions under a name. */
export interface PublishingRight {
  /** Undefined while the name is free. */
  readonly existingPackage: Package | undefined;
  /** The account that owns the package, or will own it. */
  readonly ownerId: number;
}

interface PublishingRequest {
  readonly identity: Identity;
  readonly name: string;
  /** Default: `publish`. */
  readonly permission?: "publish" | "stage" | undefined;
}

/**
 * Returns the identity's right to publish under a name, or throws. A scope's owner owns new packages of that scope; only
 * administrators of the hub create packages without a scope. Another transaction can claim a free name until the caller's
 * transaction commits.
 */
export async function publishingRight(
  database: Database,
  { identity, name, permission = "publish" }: PublishingRequest,
): Promise<PublishingRight> {
  const lookup = await findPackage(database, { identity, name, permission });
  if (lookup?.isAllowed)
    return { existingPackage: lookup.package, ownerId: lookup.package.owner_id };
  if (lookup?.isReadable)
    throw forbidden(
      `${identity.name} may not ${permission} ${name}. Ask one of its owners: npm owner ls ${name}`,
    );
  const { scope } = packageName(name);
  await requireTokenScope(database, identity, { name, scope: scope ?? "" });
  if (!tokenAllows(identity, permission))
    throw forbidden(
      `This token may not ${permission} ${name}. Change the permissions of the trusted publisher: npm trust list ${name}`,
    );
  const ownerId =
    scope === undefined
      ? ownerWithoutScope(identity, name)
      : await scopeOwner(database, { identity, name, scope });
  if (lookup !== undefined)
    throw forbidden(
      `${identity.name} may not read the private package ${name}. Ask an owner of the scope @${scope} to add you to a team with access.`,
    );
  if (!identity.isAdmin) await rejectSimilarName(database, { name, ownerId });
  return { existingPackage: undefined, ownerId };
}

function ownerWithoutScope({ isAdmin, userId, name: user }: Identity, name: string): number {
  if (isAdmin) return userId;
  throw new HubError("scope-required", {
    message: `Only administrators of this hub publish names without a scope. Publish ${name} as @${user}/${name}, or in an organisation's scope.`,
  });
}

async function scopeOwner(
  database: Database,
  {
    identity,
    name,
    scope,
  }: { readonly identity: Identity; readonly name: string; readonly scope: string },
): Promise<number> {
  const account = await database
    .selectFrom("accounts")
    .leftJoin("memberships", (join) =>
      join
        .onRef("memberships.organisation_id", "=", "accounts.id")
        .on("memberships.user_id", "=", identity.userId),
    )
    .where("accounts.name", "=", scope)
    .select(["accounts.id", "memberships.role"])
    .executeTakeFirst();
  if (account === undefined)
    throw new HubError("scope-not-found", {
      message: `${name} cannot be published: this hub has no user or organisation ${scope}. Create the organisation first: envs hub org create ${scope}`,
    });
  if (identity.isAdmin || account.id === identity.userId || account.role !== null)
    return account.id;
  // The same error for private packages and for free names does not reveal which of them exist.
  throw new HubError("scope-not-yours", {
    message: `${identity.name} may not publish ${name}: the scope @${scope} belongs to another account. Ask one of its owners to add you: npm org set ${scope} ${identity.name}`,
  });
}

/** Compares public names only, because the error would reveal private names. */
async function rejectSimilarName(
  database: Database,
  { name, ownerId }: { readonly name: string; readonly ownerId: number },
): Promise<void> {
  const candidates = await database
    .selectFrom("packages")
    .where("owner_id", "!=", ownerId)
    .where("access", "=", "public")
    .where(sql<boolean>`similarity_keys && ${[...similarityKeys(name)]}::text[]`)
    .select("name")
    .execute();
  const similar = tooSimilar(
    name,
    candidates.map((candidate) => candidate.name),
  );
  if (similar === undefined) return;
  throw new HubError("name-too-similar", {
    message: `${name} is too similar to ${similar}, which another account owns. Choose a more distinct name, or ask this hub's operator to publish it first.`,
  });
}
