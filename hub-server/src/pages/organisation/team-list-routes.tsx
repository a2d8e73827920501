import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { changeOrganisation } from "../../access/organisations/organisation.ts";
import { createTeam, listTeamSizes } from "../../access/organisations/teams.ts";
import { developers } from "../../identity/accounts/add-member.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { Entry } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm, PlainField } from "../layout/form.tsx";
import { formFields } from "../layout/require-session.ts";
import {
  organisationOfMember,
  type SeenOrganisation,
  sendOrganisation,
} from "./organisation-page.tsx";
import { teamPath } from "./team-view.ts";

/** Registers the page that lists and creates the teams of an organisation. */
export function teamListRoutes(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage<{ readonly name: string }>(app, hub, {
    path: "/org/:name/teams",
    notices: { removed: "Team deleted." },
    async show(visitor, reply, { name, ...feedback }) {
      const { organisation } = await organisationOfMember(hub, visitor.request, name);
      const teams = await listTeamSizes(hub.database, organisation.id);
      return sendOrganisation(reply, visitor, {
        organisation,
        section: "/teams",
        title: "Teams",
        children: <Teams {...{ organisation, teams }} />,
        ...feedback,
      });
    },
  });

  addForm("/create", async ({ request }, { name }) => {
    const team = formFields(request, "team").team.trim();
    await changeOrganisation(hub, request, {
      name,
      role: "admin",
      work: (change) => createTeam(change, team),
    });
    return `${teamPath(name, team)}?done=created`;
  });
}

/** The teams of an organisation, with a form for a new one. */
function Teams({
  organisation: { path, managesTeams },
  teams,
}: {
  readonly organisation: SeenOrganisation;
  readonly teams: readonly { readonly name: string; readonly members: number }[];
}): ReactNode {
  return (
    <>
      <p className="quiet">
        A team gives its members access to packages of the organisation: to read private ones, or to
        publish.
      </p>
      <ul className="list">
        {teams.map(({ name, members }) => (
          <li key={name}>
            <Entry title={name} href={`${path}/team/${name}`}>
              {members === 1 ? "1 member" : `${members} members`}
              {name === developers && ", always all of the organisation"}
            </Entry>
          </li>
        ))}
      </ul>
      {managesTeams && (
        <CardForm title="Create a team" action={`${path}/teams/create`}>
          <PlainField
            label="Team name"
            name="team"
            hint="Lower-case letters, digits, dots, hyphens and underscores."
          />
          <button>Create team</button>
        </CardForm>
      )}
    </>
  );
}
