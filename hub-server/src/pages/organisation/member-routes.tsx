import type { FastifyInstance } from "fastify";

import { listMembers, removeMember, setMember } from "../../access/organisations/members.ts";
import { changeOrganisation, type Role } from "../../access/organisations/organisation.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formPage } from "../layout/form-page.ts";
import { formFields } from "../layout/require-session.ts";
import { Members } from "./members.tsx";
import { organisationOfMember, sendOrganisation } from "./organisation-page.tsx";

const roles: readonly string[] = ["developer", "admin", "owner"] satisfies Role[];

/** Registers the page that lists, adds, changes and removes the members of an organisation. */
export function memberRoutes(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage<{ readonly name: string }>(app, hub, {
    path: "/org/:name/members",
    notices: { set: "Member saved.", removed: "Member removed." },
    async show(visitor, reply, { name, ...feedback }) {
      const { organisation } = await organisationOfMember(hub, visitor.request, name);
      const members = await listMembers(hub.database, organisation.id);
      return sendOrganisation(reply, visitor, {
        organisation,
        section: "/members",
        title: "Members",
        children: <Members {...{ visitor, organisation, members }} />,
        ...feedback,
      });
    },
  });

  addForm("/set", async ({ request }, { name }) => {
    const { user, role } = formFields(request, "user", "role");
    await changeOrganisation(hub, request, {
      name,
      role: "owner",
      work: (change) => setMember(change, userName(user), roleIn(role)),
    });
    return "set";
  });

  addForm("/remove", async ({ request, session }, { name }) => {
    const { user } = formFields(request, "user");
    const isSelf = user === session.user.name;
    await changeOrganisation(hub, request, {
      name,
      // Every member may leave.
      role: isSelf ? "developer" : "owner",
      work: (change) => removeMember(change, user),
    });
    return isSelf ? `/org/${name}` : "removed";
  });
}

/** Trims spaces and lower-cases: phone keyboards capitalise the first letter. */
function userName(text: string): string {
  return text.trim().toLowerCase();
}

function roleIn(text: string): Role | undefined {
  return roles.includes(text) ? (text as Role) : undefined;
}
