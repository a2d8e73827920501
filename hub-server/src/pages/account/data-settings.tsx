import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { deleteDueAccounts } from "../../evaluations/delete-accounts.ts";
import { accountData } from "../../identity/accounts/account-data.ts";
import { requestDeletion } from "../../identity/accounts/delete-account.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameToConfirm, Radios, requireTypedName } from "../layout/choices.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm } from "../layout/form.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields, requireSession } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/data";
const runChoices = [
  { value: "keep", label: "Keep them", hint: "They stay on leaderboards under the user name." },
  { value: "delete", label: "Delete them", hint: "Leaderboards no longer count them." },
];

/** Registers the page on which users download what the hub stores about them, and delete their account. */
export function dataSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices: {},
    show: async (visitor, reply, feedback) =>
      sendSettings(reply, visitor, {
        section,
        children: <Data name={visitor.session.user.name} days={hub.settings.HUB_DELETION_DAYS} />,
        ...feedback,
      }),
  });

  addForm("/delete", async (visitor, _, reply) => {
    const { user } = visitor.session;
    requireTypedName(visitor, user.name);
    requireConfirmed(visitor);
    const deletesRuns = formFields(visitor.request, "runs").runs === "delete";
    const date = await requestDeletion(hub, user.name, { deletesRuns });
    const isNow = hub.settings.HUB_DELETION_DAYS === 0;
    if (isNow) await deleteDueAccounts(hub);
    return sendPage(reply, undefined, {
      title: isNow ? "Account deleted" : "Your account will be deleted",
      children: isNow ? (
        <p>The account {user.name} is deleted. Its packages stay.</p>
      ) : (
        <p>
          You are signed out, and your tokens are revoked. The hub deletes the account {user.name}{" "}
          on {date.toISOString().slice(0, 10)}. To keep it, <a href="/sign-in">sign in</a> before
          then.
        </p>
      ),
    });
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

function Data({ name, days }: { readonly name: string; readonly days: number }): ReactNode {
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
          Ends your sessions and revokes your tokens at once.{" "}
          {days === 0 ? "Also at once" : `After ${days} ${days === 1 ? "day" : "days"}`}, the hub
          removes your address, full name, memberships and stars for good
          {days === 0 ? "" : "; sign in before then to keep the account"}. Your packages stay under
          your name, because others depend on them, and the name stays reserved.
        </p>
        <RunChoice />
        <NameToConfirm name={name} />
        <button className="danger">Delete the account</button>
      </CardForm>
    </>
  );
}

/** What a deletion does with the runs of the account. */
export function RunChoice(): ReactNode {
  return <Radios label="Runs" name="runs" value="keep" choices={runChoices} />;
}
