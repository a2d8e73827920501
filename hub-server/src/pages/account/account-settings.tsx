import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { changeProfile, type Profile, readProfile } from "../../identity/accounts/profile.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { CardForm, EmailField, Field, PasswordField, UsernameHint } from "../layout/form.tsx";
import type { DoneQuery } from "../layout/handle-change.tsx";
import {
  formFields,
  formProblem,
  requireSession,
  requireSessionForm,
  type SignedInVisitor,
} from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings";
const notices: Readonly<Record<string, string>> = {
  profile: "Profile saved.",
  password: "Password changed. Your other sessions have ended, and your tokens are revoked.",
  "password-only": "Password changed. Your other sessions have ended.",
};

/** Registers the settings of the profile and the password. */
export function accountSettings(app: FastifyInstance, hub: Hub): void {
  app.get<DoneQuery>(section, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const profile = await readProfile(hub.database, visitor.session.user.id);
    const notice = notices[request.query.done ?? ""];
    return sendSettings(reply, visitor, {
      section,
      notice,
      children: <Account profile={profile} />,
    });
  });

  app.post("/settings/profile", async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const { full_name: fullName, email } = formFields(request, "full_name", "email");
    return await save(visitor, reply, { done: "profile", changes: { fullName, email } });
  });

  app.post("/settings/password", async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const fields = formFields(request, "password", "new_password", "keep_tokens");
    const keepsTokens = fields.keep_tokens === "yes";
    const changes = {
      password: { old: fields.password, new: fields.new_password },
      kept: { session: visitor.session.idHash, token: keepsTokens ? "all" : undefined },
    };
    const done = keepsTokens ? "password-only" : "password";
    return await save(visitor, reply, { done, changes });
  });

  async function save(
    visitor: SignedInVisitor,
    reply: Parameters<typeof sendSettings>[0],
    {
      done,
      changes,
    }: { done: string; changes: Omit<Parameters<typeof changeProfile>[2], "address"> },
  ): Promise<unknown> {
    const { user } = visitor.session;
    try {
      await changeProfile(hub, user, { ...changes, address: visitor.request.ip });
      return await reply.redirect(`${section}?done=${done}`, 303);
    } catch (error) {
      const profile = await readProfile(hub.database, user.id);
      const children = <Account profile={profile} />;
      return sendSettings(reply, visitor, { section, children, ...formProblem(error) });
    }
  }
}

function Account({ profile }: { readonly profile: Profile }): ReactNode {
  return (
    <>
      <p className="quiet">
        You are signed in as <strong>{profile.name}</strong>. Your packages are named{" "}
        <code>{`@${profile.name}/…`}</code>.
      </p>
      <CardForm title="Profile" action="/settings/profile">
        <Field
          label="Full name (optional)"
          name="full_name"
          autoComplete="name"
          required={false}
          maxLength={100}
          defaultValue={profile.fullname}
        />
        <EmailField value={profile.email} />
        <button>Save</button>
      </CardForm>
      <CardForm title="Password" action="/settings/password">
        <UsernameHint name={profile.name} />
        <PasswordField label="Current password" />
        <PasswordField label="New password" name="new_password" isNew />
        <div className="choice">
          <input type="checkbox" id="keep_tokens" name="keep_tokens" value="yes" />
          <label htmlFor="keep_tokens">Keep my tokens valid</label>
        </div>
        <button>Change password</button>
      </CardForm>
    </>
  );
}
