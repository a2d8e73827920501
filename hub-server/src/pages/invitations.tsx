import type { ReactNode } from "react";

import type { OpenInvitation } from "../identity/accounts/inviting.ts";
import { Form } from "./form.tsx";
import { Moment } from "./moment.tsx";
import type { SignedIn } from "./signed-in.ts";

interface Props {
  readonly visitor: SignedIn;
  readonly invitations: readonly OpenInvitation[];
  /** Those that the visitor may invite to. */
  readonly organisations: readonly string[];
  readonly isClosed: boolean;
  /** Of an invitation that was made this moment. */
  readonly link: string | undefined;
}

/** Whom somebody has invited, and how to invite more. */
export function Invitations({
  visitor,
  invitations,
  organisations,
  isClosed,
  link,
}: Props): ReactNode {
  const { isAdmin } = visitor.session.user;
  const mayInvite = !isClosed && (isAdmin || organisations.length > 0);
  return (
    <>
      {link !== undefined && (
        <div className="notice" role="status">
          <p>
            Send this link to whom you invite. It works once, for a week, and is not shown again.
          </p>
          <p>
            <code>{link}</code>
          </p>
        </div>
      )}
      {mayInvite ? (
        <NewInvitation {...{ visitor, organisations }} />
      ) : (
        <p>
          {isClosed
            ? "This hub takes no new accounts."
            : "Administrators of the hub invite to it, and owners of an organisation invite to that."}
        </p>
      )}
      {invitations.length > 0 && <h2>Not used yet</h2>}
      {invitations.length > 0 && (
        <ul className="list">
          {invitations.map(({ id, organisation, isAdmin, invitedBy, createdAt, expiresAt }) => (
            <li key={id}>
              <div className="what">
                <strong>{roleOf({ organisation, isAdmin })}</strong>
                <span className="quiet small">
                  By {invitedBy}, <Moment at={createdAt} />; ends <Moment at={expiresAt} />.
                </span>
              </div>
              <Form action="/settings/invitations/revoke" visitor={visitor}>
                <input type="hidden" name="invitation" value={id} />
                <button className="danger">Take back</button>
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
}: Pick<Props, "visitor" | "organisations">): ReactNode {
  const { isAdmin } = visitor.session.user;
  return (
    <div className="card">
      <Form action="/settings/invitations/create" visitor={visitor}>
        <div className="field">
          <label htmlFor="organisation">Organisation</label>
          <select id="organisation" name="organisation">
            {isAdmin && <option value="">None</option>}
            {organisations.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <p className="hint">Whoever accepts becomes a developer of it.</p>
        </div>
        {isAdmin && (
          <div className="choice">
            <input type="checkbox" id="admin" name="admin" value="yes" />
            <label htmlFor="admin">As an administrator of this hub</label>
          </div>
        )}
        <button>Make an invitation</button>
      </Form>
    </div>
  );
}

function roleOf({ organisation, isAdmin }: Pick<OpenInvitation, "organisation" | "isAdmin">) {
  const role = isAdmin ? "An administrator" : "A user";
  return organisation === null ? role : `${role}, developer of ${organisation}`;
}
