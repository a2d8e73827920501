import type { ReactNode } from "react";

import type { PermissionsByName } from "../../access/permissions/permission-holders.ts";
import { Form, PlainField } from "../layout/form.tsx";
import { packagePath } from "../package/package-view.ts";

/** A team's permission on a package. */
export interface TeamAccess {
  readonly team: string;
  readonly permission: "read" | "write";
}

/** The people and teams with access to a package. */
export interface PeopleView {
  /** The package's name. */
  readonly name: string;
  readonly isAdmin: boolean;
  readonly maintainers: readonly string[];
  /** All users with a permission, whether a role, a team or a grant gives it. */
  readonly collaborators: PermissionsByName;
  /** The organisation that owns the package; undefined if a user owns it. */
  readonly organisation: string | undefined;
  readonly teams: readonly TeamAccess[];
}

/** The maintainers, teams and other users of a package, with forms for its owners. */
export function People(view: PeopleView): ReactNode {
  return (
    <>
      <h2>Maintainers</h2>
      <Maintainers {...view} />
      {view.organisation !== undefined && (
        <>
          <h2>Teams</h2>
          <Teams {...view} organisation={view.organisation} />
        </>
      )}
      <h2>Everyone with access</h2>
      <ul className="list" aria-label="Everyone with access">
        {Object.entries(view.collaborators).map(([user, permission]) => (
          <Access key={user} name={user} href={`/user/${user}`} permission={permission} />
        ))}
      </ul>
    </>
  );
}

function Maintainers({ name, isAdmin, maintainers }: PeopleView): ReactNode {
  const path = `${packagePath(name)}/settings/people`;
  return (
    <>
      <ul className="list" aria-label="Maintainers">
        {maintainers.map((user) => (
          <li key={user}>
            <a className="what" href={`/user/${user}`}>
              {user}
            </a>
            {isAdmin && (
              <Form action={`${path}/remove`}>
                <input type="hidden" name="user" value={user} />
                <button className="danger small" aria-label={`Remove ${user}`}>
                  Remove
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {isAdmin && (
        <Form action={`${path}/add`} className="row card">
          <PlainField label="User name" name="user" />
          <button>Add maintainer</button>
        </Form>
      )}
    </>
  );
}

function Teams({
  organisation,
  teams,
}: Pick<PeopleView, "teams"> & { readonly organisation: string }): ReactNode {
  return (
    <>
      {teams.length > 0 && (
        <ul className="list" aria-label="Teams">
          {teams.map(({ team, permission }) => (
            <Access
              key={team}
              name={team}
              href={`/org/${organisation}/team/${team}`}
              permission={permission}
            />
          ))}
        </ul>
      )}
      <p className="quiet small">
        Change the access of a team on its page:{" "}
        <a href={`/org/${organisation}/teams`}>teams of {organisation}</a>.
      </p>
    </>
  );
}

function Access({
  name,
  href,
  permission,
}: {
  readonly name: string;
  readonly href: string;
  readonly permission: "read" | "write";
}): ReactNode {
  return (
    <li>
      <a className="what" href={href}>
        {name}
      </a>
      <span className="quiet small">{permission === "write" ? "May publish" : "May read"}</span>
    </li>
  );
}
