import type { ReactNode } from "react";

import { Select } from "../layout/choices.tsx";
import { Entry } from "../layout/entry.tsx";
import { Form } from "../layout/form.tsx";
import { teamPath, type TeamView } from "./team-view.ts";

const permissions = [
  { value: "read", label: "May read" },
  { value: "write", label: "May read and publish" },
];

/** The packages to which a team has access, with forms for admins. */
export function TeamPackages({
  visitor,
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
                <Form action={`${path}/packages/revoke`} visitor={visitor}>
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
        <Form action={`${path}/packages/grant`} visitor={visitor} className="row card">
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
