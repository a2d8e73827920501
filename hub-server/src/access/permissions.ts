import type { Identity } from "../accounts/identity.ts";
import type { Database } from "../database/connect.ts";
import type { Row } from "../database/tables.ts";
import { forbidden, notFound } from "../http/errors.ts";

/** `admin` may change who else may do what. */
export type Permission = "none" | "read" | "write" | "admin";

const order: readonly Permission[] = ["none", "read", "write", "admin"];

export function allows(held: Permission, wanted: Permission): boolean {
  return order.indexOf(held) >= order.indexOf(wanted);
}

export type Package = Row<"packages">;

/** What an identity may do with a package: by owning its scope, by role in an organisation, by team, or by name. */
export async function permissionFor(
  database: Database,
  identity: Identity | undefined,
  found: Package,
): Promise<Permission> {
  const everyone: Permission = found.access === "public" ? "read" : "none";
  if (identity === undefined) return everyone;
  const held = identity.isAdmin
    ? "admin"
    : await permissionOfUser(database, identity.userId, found);
  return within(identity, found, allows(held, everyone) ? held : everyone);
}

/** A token may hold less than its user: it can be for reading alone, or for some packages. */
function within(identity: Identity, found: Package, held: Permission): Permission {
  const { packages, scopes, readonly } = identity.token;
  const reaches =
    (packages === null && scopes === null) ||
    (packages?.includes(found.name) ?? false) ||
    (scopes?.includes(found.scope) ?? false);
  const most: Permission = readonly ? "read" : "admin";
  if (!reaches) return found.access === "public" ? "read" : "none";
  return allows(held, most) ? most : held;
}

async function permissionOfUser(
  database: Database,
  userId: number,
  found: Package,
): Promise<Permission> {
  if (found.owner_id === userId) return "admin";
  const grants = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", found.owner_id)
    .where("user_id", "=", userId)
    .select((row) => row.ref("role").$castTo<string>().as("grant"))
    .unionAll(
      database
        .selectFrom("package_users")
        .where("package_id", "=", found.id)
        .where("user_id", "=", userId)
        .select((row) => row.ref("permission").$castTo<string>().as("grant")),
    )
    .unionAll(
      database
        .selectFrom("team_packages")
        .innerJoin("team_members", "team_members.team_id", "team_packages.team_id")
        .where("team_packages.package_id", "=", found.id)
        .where("team_members.user_id", "=", userId)
        .select((row) => row.ref("permission").$castTo<string>().as("grant")),
    )
    .execute();
  const meaning: Readonly<Record<string, Permission>> = {
    owner: "admin",
    admin: "admin",
    developer: "write",
  };
  return grants
    .map(({ grant }) => meaning[grant] ?? (grant as Permission))
    .reduce<Permission>((most, each) => (allows(each, most) ? each : most), "none");
}

/** The package, if the identity may do that with it. Who may not even read it hears that it is not there. */
export async function requirePackage(
  database: Database,
  {
    identity,
    name,
    wanted,
  }: {
    readonly identity: Identity | undefined;
    readonly name: string;
    readonly wanted: Permission;
  },
): Promise<Package> {
  const found = await database
    .selectFrom("packages")
    .where("name", "=", name)
    .selectAll()
    .executeTakeFirst();
  if (found === undefined) throw notFound(name);
  const held = await permissionFor(database, identity, found);
  if (!allows(held, "read")) throw notFound(name);
  if (!allows(held, wanted))
    throw forbidden(
      `${identity?.name ?? "A stranger"} may not change ${name}. Ask one of its owners: npm owner ls ${name}`,
    );
  return found;
}
