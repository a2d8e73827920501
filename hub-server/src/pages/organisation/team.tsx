import type { ReactNode } from "react";

import { developers } from "../../identity/accounts/add-member.ts";
import { NameToConfirm } from "../layout/choices.tsx";
import { PlainField } from "../layout/form.tsx";
import { Form } from "../layout/form.tsx";
import { TeamPackages } from "./team-packages.tsx";
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

function TeamMembers({ visitor, organisation, team, members, otherMembers }: TeamView): ReactNode {
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
                <Form action={`${path}/members/remove`} visitor={visitor}>
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
        <Form action={`${path}/members/add`} visitor={visitor} className="row card">
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

function RemoveTeam({ visitor, organisation, team }: TeamView): ReactNode {
  return (
    <>
      <h2>Delete this team</h2>
      <div className="card danger">
        <p>Its members lose the access that the team gives them. This cannot be undone.</p>
        <Form action={`${teamPath(organisation.name, team)}/remove`} visitor={visitor}>
          <NameToConfirm name={team} />
          <button className="danger">Delete team</button>
        </Form>
      </div>
    </>
  );
}
