import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { readableBy } from "../permissions/permission-query.ts";
import { type Package, requirePackage } from "../permissions/require-package.ts";
import type { OrganisationChange } from "./organisation.ts";
import { requireTeam } from "./teams.ts";

/** A team's permissions by the name of a package, limited to packages that the identity may read. */
export async function listTeamPackages(
  database: Database,
  identity: Identity,
  teamId: number,
): Promise<Readonly<Record<string, "read" | "write">>> {
  const rows = await database
    .selectFrom("team_packages")
    .innerJoin("packages", "packages.id", "team_packages.package_id")
    .where("team_packages.team_id", "=", teamId)
    .where(readableBy(identity))
    .orderBy("packages.name")
    .select(["packages.name", "team_packages.permission"])
    .execute();
  return Object.fromEntries(rows.map(({ name, permission }) => [name, permission]));
}

/** Grants a team a permission on a package of its organisation. */
export async function grant(
  change: OrganisationChange,
  teamName: string,
  packageName: string,
  permission: "read" | "write",
): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, organisation, teamName);
  const package_ = await requireOwnPackage(change, packageName);
  await database
    .insertInto("team_packages")
    .values({ team_id: team.id, package_id: package_.id, permission })
    .onConflict((conflict) =>
      conflict.columns(["team_id", "package_id"]).doUpdateSet({ permission }),
    )
    .execute();
  event({
    type: "package.granted",
    subject: package_.name,
    detail: { team: `${organisation.name}:${team.name}`, permission },
    packageId: package_.id,
  });
}

/** Revokes a team's permission on a package. */
export async function revoke(
  change: OrganisationChange,
  teamName: string,
  packageName: string,
): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, organisation, teamName);
  const package_ = await requireOwnPackage(change, packageName);
  const { numDeletedRows } = await database
    .deleteFrom("team_packages")
    .where("team_id", "=", team.id)
    .where("package_id", "=", package_.id)
    .executeTakeFirst();
  const fullName = `${organisation.name}:${team.name}`;
  if (numDeletedRows === 0n)
    throw new HubError("not-found", {
      message: `The team ${fullName} does not have a permission on ${package_.name}. List its packages: npm access list packages ${fullName}`,
    });
  event({
    type: "package.revoked",
    subject: package_.name,
    detail: { team: fullName },
    packageId: package_.id,
  });
}

/** Returns a package that the organisation owns; its teams cannot have permissions on others. */
async function requireOwnPackage(
  { database, identity, organisation }: OrganisationChange,
  name: string,
): Promise<Package> {
  const package_ = await requirePackage(database, { identity, name, permission: "admin" });
  if (package_.owner_id === organisation.id) return package_;
  throw forbidden(
    `${name} does not belong to ${organisation.name}, so its teams cannot have permissions on it. Choose a package of ${organisation.name}.`,
  );
}
