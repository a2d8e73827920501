import type { ReactNode } from "react";

import type { OpenInvitation } from "../../identity/accounts/inviting.ts";
import { DateTime, Entry } from "../layout/elements.tsx";
import { CardForm, Form } from "../layout/form.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";

interface Props {
  readonly visitor: SignedInVisitor;
  readonly invitations: readonly OpenInvitation[];
  /** The organisations to which the visitor may invite. */
  readonly organisations: readonly string[];
  /** The organisation that the form names at first. */
  readonly organisation: string | undefined;
  readonly isClosed: boolean;
  /** The link of an invitation that this request created. */
  readonly link: string | undefined;
}

/** The unused invitations, and a form for a new one. */
export function Invitations({
  visitor,
  invitations,
  organisations,
  organisation,
  isClosed,
  link,
}: Props): ReactNode {
  const { isAdmin } = visitor.session.user;
  const canInvite = !isClosed && (isAdmin || organisations.length > 0);
  return (
    <>
      {link !== undefined && (
        <div className="notice" role="status">
          <p>
            Send this link to the person you invite. It works once and expires after a week. The hub
            does not show it again.
          </p>
          <p>
            <code>{link}</code>
          </p>
        </div>
      )}
      {canInvite ? (
        <NewInvitation {...{ visitor, organisations, organisation }} />
      ) : (
        <p>
          {isClosed
            ? "This hub does not accept new accounts."
            : "Only administrators of the hub and owners of an organisation can invite users."}
        </p>
      )}
      {invitations.length > 0 && <h2>Unused invitations</h2>}
      {invitations.length > 0 && (
        <ul className="list">
          {invitations.map(({ id, organisation, isAdmin, invitedBy, createdAt, expiresAt }) => (
            <li key={id}>
              <Entry title={roleOf({ organisation, isAdmin })}>
                Created by {invitedBy} on <DateTime date={createdAt} />, expires on{" "}
                <DateTime date={expiresAt} />.
              </Entry>
              <Form action="/settings/invitations/revoke">
                <input type="hidden" name="invitation" value={id} />
                <button className="danger">Revoke</button>
              </Form>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function NewInvitation({
  visitor,
  organisations,
  organisation,
}: Pick<Props, "visitor" | "organisations" | "organisation">): ReactNode {
  const { isAdmin } = visitor.session.user;
  return (
    <CardForm title="Invite a user" action="/settings/invitations/create">
      <div className="field">
        <label htmlFor="organisation">Organisation</label>
        <select id="organisation" name="organisation" defaultValue={organisation}>
          {isAdmin && <option value="">None</option>}
          {organisations.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <p className="hint">The new user joins this organisation as a developer.</p>
      </div>
      {isAdmin && (
        <div className="choice">
          <input type="checkbox" id="admin" name="admin" value="yes" />
          <label htmlFor="admin">Make the user an administrator of this hub</label>
        </div>
      )}
      <button>Create invitation</button>
    </CardForm>
  );
}

function roleOf({ organisation, isAdmin }: Pick<OpenInvitation, "organisation" | "isAdmin">) {
  const role = isAdmin ? "Administrator" : "User";
  return organisation === null ? role : `${role}, developer of ${organisation}`;
}
