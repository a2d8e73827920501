import type { FastifyInstance } from "fastify";

import {
  addMaintainer,
  listMaintainers,
  removeMaintainer,
} from "../../access/package-access/maintainers.ts";
import { packageCollaborators } from "../../access/permissions/permission-holders.ts";
import type { Package } from "../../access/permissions/require-package.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { managedPackage, packageForms, sendPackageSettings } from "./package-settings.tsx";
import { People, type TeamAccess } from "./people.tsx";

const section = "/settings/people";

/** Registers the page that lists the people and teams with access to a package, and changes its maintainers. */
export function peopleSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = packageForms(app, hub, {
    section,
    notices: { added: "Maintainer added.", removed: "Maintainer removed." },
    async show(visitor, reply, { name, ...feedback }) {
      const { database } = hub;
      const { package: package_, isAdmin } = await managedPackage(hub, visitor, name);
      const view = {
        isAdmin,
        maintainers: await listMaintainers({ database, package: package_ }),
        collaborators: await packageCollaborators(database, package_),
        organisation: await owningOrganisation(database, package_),
        teams: await teamsWithAccess(database, package_),
      };
      const children = <People {...{ name, ...view }} />;
      return sendPackageSettings(reply, visitor, { name, isAdmin, section, children, ...feedback });
    },
  });

  addForm("/add", (visitor) => ({
    done: "added",
    permission: "admin",
    work: (change) => addMaintainer(change, userIn(visitor)),
  }));

  addForm("/remove", (visitor) => ({
    done: "removed",
    permission: "admin",
    work: (change) => removeMaintainer(change, userIn(visitor)),
  }));
}

function userIn({ request }: SignedInVisitor): string {
  return formFields(request, "user").user.trim().toLowerCase();
}

/** The organisation that owns a package; undefined if a user owns it. */
async function owningOrganisation(
  database: Database,
  { owner_id }: Package,
): Promise<string | undefined> {
  const owner = await database
    .selectFrom("accounts")
    .where("id", "=", owner_id)
    .where("kind", "=", "organisation")
    .select("name")
    .executeTakeFirst();
  return owner?.name;
}

/** The teams with a permission on a package, sorted by name. */
async function teamsWithAccess(
  database: Database,
  { id }: Package,
): Promise<readonly TeamAccess[]> {
  return await database
    .selectFrom("team_packages")
    .innerJoin("teams", "teams.id", "team_packages.team_id")
    .where("package_id", "=", id)
    .orderBy("teams.name")
    .select(["teams.name as team", "permission"])
    .execute();
}
