import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { changeProfile, type Profile, readProfile } from "../../identity/accounts/profile.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formPage } from "../layout/form-page.ts";
import { CardForm, EmailField, Field, PasswordField, UsernameHint } from "../layout/form.tsx";
import { formFields } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings";
const notices = {
  profile: "Profile saved.",
  verified: "Your e-mail address is verified.",
  verification: "The hub sends a link to your address. Open it in this browser.",
  password: "Password changed. Your other sessions have ended, and your tokens are revoked.",
  "password-only": "Password changed. Your other sessions have ended.",
};

/** Registers the settings of the profile and the password. */
export function accountSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices,
    async show(visitor, reply, feedback) {
      const profile = await readProfile(hub.database, visitor.session.user.id);
      const { hasPassword } = visitor.session.user;
      const canVerify = hub.settings.HUB_SMTP_URL !== undefined;
      const children = <Account {...{ profile, hasPassword, canVerify }} />;
      return sendSettings(reply, visitor, { section, children, ...feedback });
    },
  });

  addForm("/profile", async ({ request, session }) => {
    const { full_name: fullName, email } = formFields(request, "full_name", "email");
    const profile = await readProfile(hub.database, session.user.id);
    // A mail to the address can replace the password.
    if (email.trim() !== profile.email) requireConfirmed({ request });
    await changeProfile(hub, session.user, { fullName, email, address: request.ip });
    return "profile";
  });

  addForm("/password", async ({ request, session }) => {
    const fields = formFields(request, "password", "new_password", "keep_tokens");
    const keepsTokens = fields.keep_tokens === "yes";
    await changeProfile(hub, session.user, {
      password: { old: fields.password, new: fields.new_password },
      kept: { session: session.idHash, token: keepsTokens ? "all" : undefined },
      address: request.ip,
    });
    return keepsTokens ? "password-only" : "password";
  });
}

function Account({
  profile,
  hasPassword,
  canVerify,
}: {
  readonly profile: Profile;
  readonly hasPassword: boolean;
  readonly canVerify: boolean;
}): ReactNode {
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
      {canVerify && profile.email !== "" && !profile.email_verified && (
        <CardForm title="Verify your address" action="/settings/verify">
          <p>
            The hub has not verified {profile.email}, so it can neither reset your password nor
            notify you.
          </p>
          <button className="second">Send a link</button>
        </CardForm>
      )}
      {hasPassword && (
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
      )}
    </>
  );
}
