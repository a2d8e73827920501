import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import { readableBy } from "../permissions/permission-query.ts";
import { type Package, requirePackage } from "../permissions/require-package.ts";
import type { OrganisationChange } from "./change-organisation.ts";
import { requireTeam } from "./teams.ts";

/** What a team may do with which packages, of those that whoever asks may read. */
export async function teamPackages(
  database: Database,
  { teamId, identity }: { readonly teamId: number; readonly identity: Identity },
): Promise<Readonly<Record<string, "read" | "write">>> {
  const granted = await database
    .selectFrom("team_packages")
    .innerJoin("packages", "packages.id", "team_packages.package_id")
    .where("team_packages.team_id", "=", teamId)
    .where(readableBy(identity))
    .orderBy("packages.name")
    .select(["packages.name", "team_packages.permission"])
    .execute();
  return Object.fromEntries(granted.map(({ name, permission }) => [name, permission]));
}

/** Lets a team read a package of its organisation, or write to it as well. */
export async function grant(
  change: OrganisationChange,
  asked: {
    readonly team: string;
    readonly package: string;
    readonly permission: "read" | "write";
  },
): Promise<void> {
  const { database, organisation, event } = change;
  const { permission } = asked;
  const team = await requireTeam(database, { organisation, team: asked.team });
  const found = await requireOwned(change, asked.package);
  await database
    .insertInto("team_packages")
    .values({ team_id: team.id, package_id: found.id, permission })
    .onConflict((conflict) =>
      conflict.columns(["team_id", "package_id"]).doUpdateSet({ permission }),
    )
    .execute();
  event({
    type: "package.granted",
    subject: found.name,
    detail: { team: `${organisation.name}:${team.name}`, permission },
    packageId: found.id,
  });
}

/** Takes away what a team was granted on a package. */
export async function revoke(
  change: OrganisationChange,
  asked: { readonly team: string; readonly package: string },
): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, { organisation, team: asked.team });
  const found = await requireOwned(change, asked.package);
  const { numDeletedRows } = await database
    .deleteFrom("team_packages")
    .where("team_id", "=", team.id)
    .where("package_id", "=", found.id)
    .executeTakeFirst();
  const name = `${organisation.name}:${team.name}`;
  if (numDeletedRows === 0n) throw notFound(`A grant on ${found.name} to ${name}`);
  event({
    type: "package.revoked",
    subject: found.name,
    detail: { team: name },
    packageId: found.id,
  });
}

/** Teams are granted their own organisation's packages alone. */
async function requireOwned(
  { database, identity, organisation }: OrganisationChange,
  name: string,
): Promise<Package> {
  const found = await requirePackage(database, { identity, name, permission: "admin" });
  if (found.owner_id === organisation.id) return found;
  throw forbidden(`${name} is no package of ${organisation.name}, so its teams cannot have it.`);
}
