import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { setPassword } from "../../identity/accounts/profile.ts";
import { identitiesOf, removeIdentity } from "../../identity/credentials/identities.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import type { Row } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Entry } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm, Form, PasswordField, UsernameHint } from "../layout/form.tsx";
import { ProviderButtons } from "../layout/provider-buttons.tsx";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/sign-in";

/** Registers the page that lists, adds and removes the ways in which a user signs in. */
export function signInSettings(app: FastifyInstance, hub: Hub): void {
  const providers = hub.settings.HUB_SIGN_IN_PROVIDERS ?? [];
  const addForm = formPage(app, hub, {
    path: section,
    notices: {
      added: "You can now sign in with this account.",
      removed: "You can no longer sign in with this account.",
      password: "Password set.",
    },
    async show(visitor, reply, feedback) {
      const identities = await identitiesOf(hub.database, visitor.session.user.id);
      const children = <Methods {...{ visitor, identities, providers }} />;
      return sendSettings(reply, visitor, { section, children, ...feedback });
    },
  });

  addForm("/remove", async (visitor) => {
    requireConfirmed(visitor);
    const { issuer, subject } = formFields(visitor.request, "issuer", "subject");
    await removeIdentity(hub, { userId: visitor.session.user.id, issuer, subject });
    return "removed";
  });

  addForm("/password", async (visitor) => {
    requireConfirmed(visitor);
    const { new_password: password } = formFields(visitor.request, "new_password");
    await setPassword(hub, visitor.session.user, { password, session: visitor.session.idHash });
    return "password";
  });
}

function Methods({
  visitor,
  identities,
  providers,
}: {
  readonly visitor: SignedInVisitor;
  readonly identities: readonly Row<"identities">[];
  readonly providers: readonly SignInProvider[];
}): ReactNode {
  const { name, hasPassword } = visitor.session.user;
  const labelOf = (issuer: string): string =>
    providers.find((provider) => provider.issuer === issuer)?.label ?? issuer;
  return (
    <>
      {identities.length > 0 && (
        <ul className="list">
          {identities.map(({ issuer, subject, label, created_at, last_used_at }) => (
            <li key={`${issuer} ${subject}`}>
              <Entry title={`${labelOf(issuer)}: ${label}`}>
                Added on <DateTime date={created_at} />, last used on{" "}
                <DateTime date={last_used_at} />.
              </Entry>
              <Form action={`${section}/remove`}>
                <input type="hidden" name="issuer" value={issuer} />
                <input type="hidden" name="subject" value={subject} />
                <button className="danger" aria-label={`Remove ${label}`}>
                  Remove
                </button>
              </Form>
            </li>
          ))}
        </ul>
      )}
      {identities.length === 0 && <p className="quiet">You sign in with your name and password.</p>}
      <ProviderButtons {...{ providers, next: section }} verb="Add" />
      {!hasPassword && (
        <CardForm title="Set a password" action={`${section}/password`}>
          <UsernameHint name={name} />
          <PasswordField label="New password" name="new_password" isNew />
          <button>Set password</button>
        </CardForm>
      )}
    </>
  );
}
