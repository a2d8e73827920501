import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { deleteDueAccounts } from "../../evaluations/delete-accounts.ts";
import {
  changeUser,
  type ManagedUser,
  readManagedUser,
  type UserChange,
} from "../../identity/accounts/change-user.ts";
import { deleteAccount } from "../../identity/accounts/delete-account.ts";
import { requireManager } from "../../identity/request/manager.ts";
import { requireOneTimePassword } from "../../identity/second-factor/second-factor.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameToConfirm, requireTypedName } from "../layout/choices.tsx";
import { Facts } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm, Form } from "../layout/form.tsx";
import { FeedbackText } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields } from "../layout/require-session.ts";
import { RunChoice } from "./data-settings.tsx";

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
    notices: { changed: "Account changed.", deleted: "Account deleted." },
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
    const { action, runs } = formFields(request, "action", "runs");
    const change =
      action === "delete" ? action : Object.hasOwn(changes, action) ? changes[action] : undefined;
    if (change === undefined) throw notFound("This action");
    if (action === "close" || action === "delete") requireTypedName(visitor, name);
    if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
    if (change === "delete") {
      const deletion = { administrator: identity.name, deletesRuns: runs === "delete" };
      await deleteAccount(hub, name, deletion);
      await deleteDueAccounts(hub);
      return "deleted";
    }
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
      <CardForm title="Close or delete the account" action={managePath(name)} danger>
        <p>
          Both end the user’s sessions and revoke the tokens, and packages stay. You can reopen a
          closed account, but not restore the tokens. A deletion is at once and for good.
        </p>
        <RunChoice />
        <NameToConfirm name={name} />
        <div className="buttons">
          {!isDisabled && (
            <button name="action" value="close" className="danger">
              Close the account
            </button>
          )}
          <button name="action" value="delete" className="danger">
            Delete the account
          </button>
        </div>
      </CardForm>
    </>
  );
}
