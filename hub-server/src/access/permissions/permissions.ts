import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import { reaches } from "./token-scope.ts";

/**
 * Each holds those before it. `stage` and `publish` are all that a trusted publisher has: to propose a version, to
 * publish and tag one. `admin` may change who else may do what.
 */
export type Permission = "none" | "read" | "stage" | "publish" | "write" | "admin";

const order: readonly Permission[] = ["none", "read", "stage", "publish", "write", "admin"];

/** Owners and administrators of an organisation may do all; what its developers may, their teams say. */
const meaning = {
  owner: "admin",
  admin: "admin",
  developer: "none",
  read: "read",
  write: "write",
} as const satisfies Record<string, Permission>;

export function allows(held: Permission, wanted: Permission): boolean {
  return order.indexOf(held) >= order.indexOf(wanted);
}

function greater(a: Permission, b: Permission): Permission {
  return allows(a, b) ? a : b;
}

function lesser(a: Permission, b: Permission): Permission {
  return allows(a, b) ? b : a;
}

export type Package = Row<"packages">;

/** What of a package says who may do what with it. */
type Guarded = Pick<Package, "id" | "name" | "scope" | "owner_id" | "access">;

/** What an identity may do with a package: by owning its scope, by role in an organisation, by team, or by name. */
export async function permissionFor(
  database: Database,
  identity: Identity | undefined,
  found: Guarded,
): Promise<Permission> {
  const everyone: Permission = found.access === "public" ? "read" : "none";
  if (identity === undefined || !reaches(identity, found)) return everyone;
  const held = lesser(await permissionOfUser(database, identity, found), mostOf(identity.token));
  return greater(held, everyone);
}

/** The most that a token may do with a package that it reaches. */
export function mostOf({ readonly, permissions }: Identity["token"]): Permission {
  if (readonly) return "read";
  if (permissions === null) return "admin";
  if (permissions.includes("createPackage")) return "publish";
  return permissions.includes("createStagedPackage") ? "stage" : "read";
}

async function permissionOfUser(
  database: Database,
  { userId, isAdmin }: Pick<Identity, "userId" | "isAdmin">,
  found: Guarded,
): Promise<Permission> {
  if (isAdmin || found.owner_id === userId) return "admin";
  const grants = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", found.owner_id)
    .where("user_id", "=", userId)
    .select((row) => row.ref("role").$castTo<keyof typeof meaning>().as("grant"))
    .unionAll(
      database
        .selectFrom("package_users")
        .where("package_id", "=", found.id)
        .where("user_id", "=", userId)
        .select((row) => row.ref("permission").$castTo<keyof typeof meaning>().as("grant")),
    )
    .unionAll(
      database
        .selectFrom("team_packages")
        .innerJoin("team_members", "team_members.team_id", "team_packages.team_id")
        .where("team_packages.package_id", "=", found.id)
        .where("team_members.user_id", "=", userId)
        .select((row) => row.ref("permission").$castTo<keyof typeof meaning>().as("grant")),
    )
    .execute();
  return grants.map(({ grant }) => meaning[grant]).reduce(greater, "none");
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
