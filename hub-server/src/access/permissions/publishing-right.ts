import { sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { similarityKeys, tooSimilar } from "../../platform/names/similarity.ts";
import { allows, mostOf, type Package, type Permission, permissionFor } from "./permissions.ts";
import { requireReach } from "./token-scope.ts";

/** Who may take a name, and whose it will be. */
export interface PublishingRight {
  /** The package, if the name is taken. */
  readonly existing: Package | undefined;
  readonly ownerId: number;
}

/**
 * Whether an identity may publish under a name. A name in a scope belongs to the scope's owner; one without a scope is
 * for the hub's administrators, unless `unscoped` is "anyone". Ask inside the transaction that publishes, or stages.
 */
export async function publishingRight(
  database: Database,
  {
    identity,
    name,
    wanted = "publish",
    unscoped = "admins",
  }: {
    readonly identity: Identity;
    readonly name: string;
    readonly wanted?: "publish" | "stage";
    readonly unscoped?: "admins" | "anyone";
  },
): Promise<PublishingRight> {
  const existing = await database
    .selectFrom("packages")
    .where("name", "=", name)
    .selectAll()
    .executeTakeFirst();
  const held = existing === undefined ? "none" : await permissionFor(database, identity, existing);
  if (existing !== undefined && allows(held, wanted))
    return { existing, ownerId: existing.owner_id };
  if (allows(held, "read"))
    throw forbidden(
      `${identity.name} may not ${wanted} ${name}. Ask one of its owners: npm owner ls ${name}`,
    );
  const { scope } = packageName(name);
  requireReach(identity, { name, scope: scope ?? "" });
  requireTokenFor(identity, { name, wanted });
  const ownerId =
    scope === undefined
      ? unscopedOwner(identity, { name, unscoped })
      : await scopeOwner(database, { identity, name, scope });
  if (existing !== undefined)
    throw forbidden(
      `${name} is a private package that ${identity.name} may not read. Ask an owner of the scope for a team that may.`,
    );
  if (!identity.isAdmin) await refuseSimilar(database, { name, ownerId });
  return { existing, ownerId };
}

function requireTokenFor(
  { token }: Identity,
  { name, wanted }: { readonly name: string; readonly wanted: Permission },
): void {
  if (allows(mostOf(token), wanted)) return;
  throw forbidden(
    `This token may not ${wanted} ${name}. Allow it where the package's trust is set up: npm trust list ${name}`,
  );
}

function unscopedOwner(
  identity: Identity,
  { name, unscoped }: { readonly name: string; readonly unscoped: "admins" | "anyone" },
): number {
  if (identity.isAdmin || unscoped === "anyone") return identity.userId;
  throw new HubError("scope-required", {
    message: `Names without a scope are for this hub's administrators. Publish it as @${identity.name}/${name}, or in an organisation's scope.`,
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
      message: `${name} cannot be published: no user or organisation here is called ${scope}. Make the organisation first: envs org create ${scope}`,
    });
  if (identity.isAdmin || account.id === identity.userId || account.role !== null)
    return account.id;
  // One answer, whether or not the scope has a private package of that name.
  throw new HubError("scope-not-yours", {
    message: `${name} is not yours to publish: the scope @${scope} belongs to others. Ask an owner to make you a member: npm org set ${scope} ${identity.name}`,
  });
}

/** Only of public names: a refusal would tell of private ones. */
async function refuseSimilar(
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
  const taken = tooSimilar(
    name,
    candidates.map((candidate) => candidate.name),
  );
  if (taken === undefined) return;
  throw new HubError("name-too-similar", {
    message: `${name} could be mistaken for ${taken}, which is somebody else's. Choose a name that differs more, or ask this hub's operator to publish it first.`,
  });
}
