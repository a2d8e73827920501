import type { ReactNode } from "react";

import { developers } from "../../identity/accounts/add-member.ts";
import { NameToConfirm, Select } from "../layout/choices.tsx";
import { Entry } from "../layout/elements.tsx";
import { Form, PlainField } from "../layout/form.tsx";
import { teamPath, type TeamView } from "./team-view.ts";

/** The members and packages of a team, with forms for admins. */
export function Team(view: TeamView): ReactNode {
  const { organisation, team } = view;
  return (
    <>
      <h2>Members</h2>
      <TeamMembers {...view} />
      <h2>Packages</h2>
      <TeamPackages {...view} />
      {organisation.managesTeams && team !== developers && <RemoveTeam {...view} />}
    </>
  );
}

function TeamMembers({ organisation, team, members, otherMembers }: TeamView): ReactNode {
  const path = teamPath(organisation.name, team);
  const isChangeable = organisation.managesTeams && team !== developers;
  return (
    <>
      {members.length === 0 ? (
        <p className="empty">This team has no members.</p>
      ) : (
        <ul className="list" aria-label="Members">
          {members.map((name) => (
            <li key={name}>
              <a className="what" href={`/user/${name}`}>
                {name}
              </a>
              {isChangeable && (
                <Form action={`${path}/members/remove`}>
                  <input type="hidden" name="user" value={name} />
                  <button className="danger small" aria-label={`Remove ${name}`}>
                    Remove
                  </button>
                </Form>
              )}
            </li>
          ))}
        </ul>
      )}
      {team === developers && (
        <p className="quiet small">
          This team always contains every member of {organisation.name}.
        </p>
      )}
      {isChangeable && (
        <Form action={`${path}/members/add`} className="row card">
          <PlainField label="User name" name="user" list="other-members" />
          <datalist id="other-members">
            {otherMembers.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <button>Add to team</button>
        </Form>
      )}
    </>
  );
}

function RemoveTeam({ organisation, team }: TeamView): ReactNode {
  return (
    <>
      <h2>Delete this team</h2>
      <div className="card danger">
        <p>Its members lose the access that the team gives them. This cannot be undone.</p>
        <Form action={`${teamPath(organisation.name, team)}/remove`}>
          <NameToConfirm name={team} />
          <button className="danger">Delete team</button>
        </Form>
      </div>
    </>
  );
}

const permissions = [
  { value: "read", label: "May read" },
  { value: "write", label: "May read and publish" },
];

/** The packages to which a team has access, with forms for admins. */
function TeamPackages({
  organisation: { name: organisation, managesTeams },
  team,
  packages,
  otherPackages,
}: TeamView): ReactNode {
  const path = teamPath(organisation, team);
  const entries = Object.entries(packages);
  return (
    <>
      {entries.length === 0 ? (
        <p className="empty">This team has access to no package.</p>
      ) : (
        <ul className="list" aria-label="Packages">
          {entries.map(([name, permission]) => (
            <li key={name}>
              <Entry title={name} href={`/package/${name}`} isName>
                {permissions.find(({ value }) => value === permission)?.label}
              </Entry>
              {managesTeams && (
                <Form action={`${path}/packages/revoke`}>
                  <input type="hidden" name="package" value={name} />
                  <button className="danger small" aria-label={`Revoke access to ${name}`}>
                    Revoke
                  </button>
                </Form>
              )}
            </li>
          ))}
        </ul>
      )}
      {managesTeams && otherPackages.length + entries.length > 0 && (
        <Form action={`${path}/packages/grant`} className="row card">
          <Select
            label="Package"
            name="package"
            choices={[...otherPackages, ...Object.keys(packages)].map((name) => ({
              value: name,
              label: name,
            }))}
          />
          <Select label="Access" name="permission" choices={permissions} />
          <button>Grant access</button>
        </Form>
      )}
      {managesTeams && otherPackages.length + entries.length === 0 && (
        <p className="quiet small">
          {organisation} has no packages yet. Publish one to give this team access to it.
        </p>
      )}
    </>
  );
}
