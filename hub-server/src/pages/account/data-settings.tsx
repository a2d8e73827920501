import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { accountData } from "../../identity/accounts/account-data.ts";
import { deleteAccount } from "../../identity/accounts/delete-account.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameToConfirm, requireTypedName } from "../layout/choices.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm } from "../layout/form.tsx";
import { sendPage } from "../layout/page.tsx";
import { requireSession } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/data";

/** Registers the page on which users download what the hub stores about them, and delete their account. */
export function dataSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices: {},
    show: async (visitor, reply, feedback) =>
      sendSettings(reply, visitor, {
        section,
        children: <Data name={visitor.session.user.name} />,
        ...feedback,
      }),
  });

  addForm("/delete", async (visitor, _, reply) => {
    const { user } = visitor.session;
    requireTypedName(visitor, user.name);
    requireConfirmed(visitor);
    await deleteAccount(hub, user);
    const children = <p>The account {user.name} is deleted. Its packages and runs stay.</p>;
    return sendPage(reply, undefined, { title: "Account deleted", children });
  });

  app.get(`${section}/export`, async (request, reply) => {
    const { session } = await requireSession(hub, request, reply);
    const data = await accountData(hub.database, { ...session.user, now: hub.clock() });
    return reply
      .type("application/json; charset=utf-8")
      .header("content-disposition", `attachment; filename="${session.user.name}.json"`)
      .send(JSON.stringify(data, undefined, 2));
  });
}

function Data({ name }: { readonly name: string }): ReactNode {
  return (
    <>
      <p>
        <a href={`${section}/export`} download>
          Download your data
        </a>{" "}
        as JSON: your profile, tokens and sessions without secrets, memberships, stars, the list of
        your packages and runs, and what you did on this hub.
      </p>
      <CardForm title="Delete the account" action={`${section}/delete`} danger>
        <p>
          Ends your sessions, revokes your tokens, and removes your address, full name, memberships
          and stars at once and for good. Your packages and runs stay under your name, because
          others depend on them, and the name stays reserved. Delete runs that should not stay
          first.
        </p>
        <NameToConfirm name={name} />
        <button className="danger">Delete the account</button>
      </CardForm>
    </>
  );
}
