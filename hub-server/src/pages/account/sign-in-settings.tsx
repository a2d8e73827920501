import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { setPassword } from "../../identity/accounts/profile.ts";
import { identitiesOf, removeSignInMethod } from "../../identity/credentials/identities.ts";
import {
  addPasskey,
  creationOptions,
  passkeysOf,
  requestOptions,
} from "../../identity/passkeys/passkeys.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import type { Row } from "../../platform/database/tables.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Entry } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { CardForm, Form, PasswordField, PlainField, UsernameHint } from "../layout/form.tsx";
import { PasskeyForm } from "../layout/passkey-form.tsx";
import { ProviderButtons } from "../layout/provider-buttons.tsx";
import { formFields, requireSessionForm, type SignedInVisitor } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/sign-in";

/** Registers the page that lists, adds and removes the ways in which a user signs in. */
export function signInSettings(app: FastifyInstance, hub: Hub): void {
  const providers = hub.settings.HUB_SIGN_IN_PROVIDERS ?? [];
  const addForm = formPage(app, hub, {
    path: section,
    notices: {
      added: "You can now sign in this way.",
      removed: "You can no longer sign in this way.",
      password: "Password set.",
    },
    async show(visitor, reply, feedback) {
      const identities = await identitiesOf(hub.database, visitor.session.user.id);
      const passkeys = await passkeysOf(hub.database, visitor.session.user.id);
      const children = <Methods {...{ visitor, identities, passkeys, providers }} />;
      return sendSettings(reply, visitor, { section, children, ...feedback });
    },
  });

  addForm("/remove", async (visitor) => {
    requireConfirmed(visitor);
    const { issuer, subject } = formFields(visitor.request, "issuer", "subject");
    await removeSignInMethod(hub, visitor.session.user.id, { issuer, subject });
    return "removed";
  });

  addForm("/remove-passkey", async (visitor) => {
    requireConfirmed(visitor);
    const { passkey } = formFields(visitor.request, "passkey");
    await removeSignInMethod(hub, visitor.session.user.id, { passkey });
    return "removed";
  });

  addForm("/add-passkey", async (visitor) => {
    requireConfirmed(visitor);
    const { name, passkey } = formFields(visitor.request, "name", "passkey");
    const { browserHash, session, request } = visitor;
    const origin = originOf(hub.settings, request);
    const answer = { browserHash, origin, credential: passkey };
    await addPasskey(hub, { ...answer, userId: session.user.id, name });
    return "added";
  });

  app.post(`${section}/passkey-creation`, async (request, reply) => {
    const { browserHash, session } = await requireSessionForm(hub, request, reply);
    const origin = originOf(hub.settings, request);
    return await creationOptions(hub, { browserHash, origin, user: session.user });
  });

  app.post(`${section}/passkey-request`, async (request, reply) => {
    const { browserHash, session } = await requireSessionForm(hub, request, reply);
    const origin = originOf(hub.settings, request);
    return await requestOptions(hub, { browserHash, origin, userId: session.user.id });
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
  passkeys,
  providers,
}: {
  readonly visitor: SignedInVisitor;
  readonly identities: readonly Row<"identities">[];
  readonly passkeys: readonly Row<"passkeys">[];
  readonly providers: readonly SignInProvider[];
}): ReactNode {
  const { name, hasPassword } = visitor.session.user;
  const labelOf = (issuer: string): string =>
    providers.find((provider) => provider.issuer === issuer)?.label ?? issuer;
  return (
    <>
      {hasPassword && <p className="quiet">You can sign in with your name and password.</p>}
      {identities.length > 0 && (
        <ul className="list">
          {identities.map(({ issuer, subject, label, created_at, last_used_at }) => (
            <Method
              key={`${issuer} ${subject}`}
              title={`${labelOf(issuer)}: ${label}`}
              dates={[created_at, last_used_at]}
              action={`${section}/remove`}
              fields={{ issuer, subject }}
            />
          ))}
        </ul>
      )}
      <ProviderButtons {...{ providers, next: section }} verb="Add" />
      <h2>Passkeys</h2>
      <p className="quiet">
        A passkey signs you in with the lock of your device: a fingerprint, a face or a PIN.
      </p>
      {passkeys.length > 0 && (
        <ul className="list">
          {passkeys.map(({ id, name: passkey, created_at, last_used_at }) => (
            <Method
              key={id}
              title={`Passkey: ${passkey}`}
              dates={[created_at, last_used_at]}
              action={`${section}/remove-passkey`}
              fields={{ passkey: id }}
            />
          ))}
        </ul>
      )}
      <div className="card">
        <PasskeyForm
          action={`${section}/add-passkey`}
          options={`${section}/passkey-creation`}
          label="Add a passkey"
          field="passkey"
          creates
        >
          <PlainField label="Name of the passkey" name="name" hint="Such as “laptop” or “phone”." />
        </PasskeyForm>
        <noscript>Your browser needs JavaScript to add a passkey.</noscript>
      </div>
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

function Method({
  title,
  dates: [created, lastUsed],
  action,
  fields,
}: {
  readonly title: string;
  readonly dates: readonly [Date, Date];
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}): ReactNode {
  return (
    <li>
      <Entry title={title}>
        Added on <DateTime date={created} />, last used on <DateTime date={lastUsed} />.
      </Entry>
      <Form action={action}>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button className="danger" aria-label={`Remove ${title}`}>
          Remove
        </button>
      </Form>
    </li>
  );
}
