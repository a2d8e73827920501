import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import {
  changeUser,
  type ManagedUser,
  readManagedUser,
  type UserChange,
} from "../../identity/accounts/change-user.ts";
import { requireManager } from "../../identity/request/manager.ts";
import { requireOneTimePassword } from "../../identity/second-factor/second-factor.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameToConfirm, requireTypedName } from "../layout/choices.tsx";
import { Facts } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { Form } from "../layout/form.tsx";
import { FeedbackText } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields } from "../layout/require-session.ts";

const changes: Readonly<Record<string, UserChange>> = {
  close: { isDisabled: true },
  reopen: { isDisabled: false },
  promote: { isAdmin: true },
  demote: { isAdmin: false },
  "appoint-moderator": { isModerator: true },
  "dismiss-moderator": { isModerator: false },
  "remove-second-factor": { hasSecondFactor: false },
};

/** Registers the page on which an administrator of the hub changes an account. Other users get 404. */
export function manageUser(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage<{ readonly name: string }>(app, hub, {
    path: "/user/:name/manage",
    notices: { changed: "Account changed." },
    async show(visitor, reply, { name, status, ...feedback }) {
      if (!visitor.session.user.isAdmin) throw notFound("This page");
      const user = await readManagedUser(hub.database, name);
      return sendPage(reply, visitor, {
        title: `Account of ${name}`,
        status,
        width: "text",
        children: (
          <>
            <FeedbackText {...feedback} />
            <Account {...user} />
          </>
        ),
      });
    },
  });

  addForm("", async (visitor, { name }) => {
    const { request } = visitor;
    const identity = await requireManager(hub, request);
    if (!identity.isAdmin) throw forbidden("Only the hub's administrators may change other users.");
    const { action } = formFields(request, "action");
    const change = Object.hasOwn(changes, action) ? changes[action] : undefined;
    if (change === undefined) throw notFound("This action");
    if (action === "close") requireTypedName(visitor, name);
    if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
    await changeUser(hub, { ...change, name, actor: identity.name });
    return "changed";
  });
}

/** The path of the page on which an administrator changes an account. */
export function managePath(name: string): string {
  return `/user/${encodeURIComponent(name)}/manage`;
}

function Account(user: ManagedUser): ReactNode {
  const { name, email, isAdmin, isModerator, isDisabled, hasSecondFactor } = user;
  const form = (action: string, label: string): ReactNode => (
    <Form action={managePath(name)}>
      <button name="action" value={action} className="second">
        {label}
      </button>
    </Form>
  );
  return (
    <>
      <Facts
        facts={[
          ["User", <a href={`/user/${name}`}>{name}</a>],
          ["E-mail", email ?? "none"],
          ["Account", isDisabled ? "closed" : "open"],
          ["Rights", isAdmin ? "administrator of this hub" : isModerator ? "moderator" : "user"],
          ["Second factor", hasSecondFactor ? "enabled" : "none"],
        ]}
      />
      <div className="buttons">
        {isAdmin
          ? form("demote", "Remove the administrator's rights")
          : form("promote", "Make an administrator")}
        {isModerator
          ? form("dismiss-moderator", "Remove the moderator's rights")
          : form("appoint-moderator", "Make a moderator")}
        {hasSecondFactor && form("remove-second-factor", "Remove the second factor")}
        {isDisabled && form("reopen", "Reopen the account")}
      </div>
      {!isDisabled && (
        <>
          <h2>Close the account</h2>
          <div className="card danger">
            <p>
              Ends the user’s sessions and revokes the tokens. Packages stay. You can reopen the
              account, but not restore the tokens.
            </p>
            <Form action={managePath(name)}>
              <input type="hidden" name="action" value="close" />
              <NameToConfirm name={name} />
              <button className="danger">Close the account</button>
            </Form>
          </div>
        </>
      )}
    </>
  );
}
