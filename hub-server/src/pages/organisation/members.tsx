import type { ReactNode } from "react";

import type { Role } from "../../access/organisations/organisation.ts";
import { Select } from "../layout/choices.tsx";
import { Entry } from "../layout/elements.tsx";
import { Form, PlainField } from "../layout/form.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";
import type { SeenOrganisation } from "./organisation-page.tsx";

interface Props {
  readonly visitor: SignedInVisitor;
  readonly organisation: SeenOrganisation;
  readonly members: readonly { readonly name: string; readonly role: Role }[];
}

const roles = [
  { value: "developer", label: "Developer" },
  { value: "admin", label: "Admin" },
  { value: "owner", label: "Owner" },
];

/** The members of an organisation, with forms for owners. */
export function Members({ visitor, organisation, members }: Props): ReactNode {
  const { managesMembers } = organisation;
  return (
    <>
      <p className="quiet">
        Developers publish. Admins also manage teams and packages. Owners also manage members.
      </p>
      <ul className="list">
        {members.map((member) => (
          <Member key={member.name} {...{ visitor, organisation, ...member }} />
        ))}
      </ul>
      {managesMembers && <AddMember {...organisation} />}
    </>
  );
}

function Member({
  visitor,
  organisation: { name: organisation, path, managesMembers },
  name,
  role,
}: Omit<Props, "members"> & { readonly name: string; readonly role: Role }): ReactNode {
  const isSelf = name === visitor.session.user.name;
  const label = roles.find(({ value }) => value === role)?.label;
  return (
    <li>
      <Entry title={name} href={`/user/${name}`}>
        {label}
        {isSelf && ", you"}
      </Entry>
      {managesMembers && (
        <Form action={`${path}/members/set`} className="row">
          <input type="hidden" name="user" value={name} />
          <Select
            label={`Role of ${name}`}
            isLabelHidden
            name="role"
            id={`role-${name}`}
            choices={roles}
            value={role}
          />
          <button className="second small" aria-label={`Change the role of ${name}`}>
            Change
          </button>
        </Form>
      )}
      {(managesMembers || isSelf) && (
        <details className="confirm">
          <summary aria-label={isSelf ? `Leave ${organisation}` : `Remove ${name}`}>
            {isSelf ? "Leave" : "Remove"}
          </summary>
          <Form action={`${path}/members/remove`}>
            <input type="hidden" name="user" value={name} />
            <p>
              {isSelf ? "You lose" : `${name} loses`} the access that {organisation} and its teams
              give, also as a maintainer of its packages.
            </p>
            <button className="danger small">
              {isSelf ? `Leave ${organisation} now` : `Remove ${name} now`}
            </button>
          </Form>
        </details>
      )}
    </li>
  );
}

function AddMember({ name, path }: SeenOrganisation): ReactNode {
  return (
    <>
      <h2>Add a member</h2>
      <div className="card">
        <Form action={`${path}/members/set`}>
          <PlainField label="User name" name="user" />
          <Select label="Role" name="role" choices={roles} value="developer" />
          <button>Add member</button>
        </Form>
        <p className="quiet small">
          No account yet? <a href={`/settings/invitations?organisation=${name}`}>Invite</a> a new
          user to {name}.
        </p>
      </div>
    </>
  );
}
