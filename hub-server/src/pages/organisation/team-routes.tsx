import type { FastifyInstance, FastifyRequest } from "fastify";

import { listMembers } from "../../access/organisations/members.ts";
import {
  changeOrganisation,
  type OrganisationChange,
} from "../../access/organisations/organisation.ts";
import { grant, listTeamPackages, revoke } from "../../access/organisations/team-grants.ts";
import {
  addTeamMember,
  listTeamMembers,
  removeTeamMember,
} from "../../access/organisations/team-members.ts";
import { removeTeam, requireTeam } from "../../access/organisations/teams.ts";
import { packagesOfOrganisation } from "../../access/permissions/permission-holders.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requireTypedName } from "../layout/choices.tsx";
import { formPage } from "../layout/form-page.ts";
import { formFields } from "../layout/require-session.ts";
import { organisationOfMember, sendOrganisation } from "./organisation-page.tsx";
import { Team } from "./team.tsx";

interface TeamNames {
  readonly name: string;
  readonly team: string;
}
/** Registers the page of a team and its forms. */
export function teamRoutes(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage<TeamNames>(app, hub, {
    path: "/org/:name/team/:team",
    notices: {
      created: "Team created. Add its members, and give it access to packages.",
      added: "Member added to the team.",
      removed: "Member removed from the team.",
      granted: "Access granted.",
      revoked: "Access revoked.",
    },
    async show(visitor, reply, { name, team, ...feedback }) {
      const { database } = hub;
      const { identity, organisation } = await organisationOfMember(hub, visitor.request, name);
      const { id } = await requireTeam(database, organisation, team);
      const members = await listTeamMembers(database, id);
      const packages = await listTeamPackages(database, identity, id);
      const all = Object.keys(
        await packagesOfOrganisation(database, { ownerId: organisation.id, identity }),
      );
      const allMembers = await listMembers(database, organisation.id);
      const view = {
        members,
        packages,
        otherPackages: all.filter((name) => !Object.hasOwn(packages, name)),
        otherMembers: allMembers.map((member) => member.name).filter((m) => !members.includes(m)),
      };
      return sendOrganisation(reply, visitor, {
        organisation,
        section: "/teams",
        title: `Team ${team}`,
        children: <Team {...{ organisation, team, ...view }} />,
        ...feedback,
      });
    },
  });

  addForm("/members/add", async ({ request }, names) => {
    await changeTeam(request, names, (change, team) =>
      addTeamMember(change, team, userIn(request)),
    );
    return "added";
  });

  addForm("/members/remove", async ({ request }, names) => {
    await changeTeam(request, names, (change, team) =>
      removeTeamMember(change, team, userIn(request)),
    );
    return "removed";
  });

  addForm("/packages/grant", async ({ request }, names) => {
    const fields = formFields(request, "package", "permission");
    const permission = fields.permission === "write" ? "write" : "read";
    await changeTeam(request, names, (change, team) =>
      grant(change, team, fields.package, permission),
    );
    return "granted";
  });

  addForm("/packages/revoke", async ({ request }, names) => {
    const fields = formFields(request, "package");
    await changeTeam(request, names, (change, team) => revoke(change, team, fields.package));
    return "revoked";
  });

  addForm("/remove", async (visitor, names) => {
    requireTypedName(visitor, names.team);
    await changeTeam(visitor.request, names, removeTeam);
    return `/org/${encodeURIComponent(names.name)}/teams?done=removed`;
  });

  async function changeTeam(
    request: FastifyRequest,
    { name, team }: TeamNames,
    work: (change: OrganisationChange, team: string) => Promise<void>,
  ): Promise<void> {
    await changeOrganisation(hub, request, {
      name,
      role: "admin",
      work: (change) => work(change, team),
    });
  }
}

function userIn(request: FastifyRequest): string {
  return formFields(request, "user").user.trim().toLowerCase();
}
