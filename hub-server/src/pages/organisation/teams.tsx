import type { ReactNode } from "react";

import { developers } from "../../identity/accounts/add-member.ts";
import { Entry } from "../layout/entry.tsx";
import { CardForm, PlainField } from "../layout/form.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";
import type { SeenOrganisation } from "./organisation-page.tsx";

/** The teams of an organisation, with a form for a new one. */
export function Teams({
  visitor,
  organisation: { path, managesTeams },
  teams,
}: {
  readonly visitor: SignedInVisitor;
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
        <CardForm title="Create a team" action={`${path}/teams/create`} visitor={visitor}>
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
