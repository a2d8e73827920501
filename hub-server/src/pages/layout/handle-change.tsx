import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReactNode } from "react";

import { identitiesOf } from "../../identity/credentials/identities.ts";
import { passkeysOf } from "../../identity/passkeys/passkeys.ts";
import type { SentForm } from "../../identity/providers/sealed-form.ts";
import {
  codeNeeded,
  confirmationNeeded,
  confirmForm,
} from "../../identity/second-factor/second-factor.ts";
import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { CardForm, CodeField, Notice, PasswordField, Problem, UsernameHint } from "./form.tsx";
import { sendPage } from "./page.tsx";
import { PasskeyForm } from "./passkey-form.tsx";
import { ProviderButtons } from "./provider-buttons.tsx";
import {
  formFields,
  formProblem,
  requireSessionForm,
  type SignedInVisitor,
} from "./require-session.ts";

/** The result of a submitted form. */
export interface Feedback {
  readonly notice?: string | undefined;
  readonly problem?: string | undefined;
  readonly status?: number | undefined;
}

/** After a change, the query contains the key of the page's notice. */
export interface DoneQuery {
  Querystring: { readonly done?: string };
}

/** The action of a submitted form. */
export interface FormChange {
  /** The path of the page that contains the form. */
  readonly page: string;
  /** Makes the change, and returns the key of the page's notice or the path to open then, or sends a page itself. */
  readonly work: (visitor: SignedInVisitor) => Promise<string | FastifyReply>;
  /** Sends the page of the form again, with the error. */
  readonly show: (visitor: SignedInVisitor, feedback: Feedback) => Promise<unknown>;
}

const wrongConfirmations: ReadonlySet<string> = new Set([
  "wrong-code",
  "wrong-login",
  "passkey-invalid",
]);
/** The names of the fields that confirm a change. */
const codeName = "code";
const passwordName = "confirm_password";
const credentialName = "credential";
const confirmingNames: ReadonlySet<string> = new Set([
  "form",
  codeName,
  passwordName,
  credentialName,
]);

/**
 * Handles a submitted form. If the change needs a second factor or a confirmation, and the user has not signed in or entered a
 * code within the last minutes, sends a page that asks for one and submits the same fields again.
 */
export async function handleChange(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, work, show }: FormChange,
): Promise<unknown> {
  const visitor = await requireSessionForm(hub, request, reply, page);
  const { session } = visitor;
  const {
    [codeName]: code,
    [passwordName]: password,
    [credentialName]: credential,
  } = formFields(request, codeName, passwordName, credentialName);
  try {
    if (session.isFresh || !session.user.hasSecondFactor || code + credential !== "")
      await confirmForm(hub, visitor, { code, password, credential });
    const result = await work(visitor);
    if (typeof result !== "string") return result;
    return await reply.redirect(result.startsWith("/") ? result : `${page}?done=${result}`, 303);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const isFirst = error.code === codeNeeded || error.code === confirmationNeeded;
    const isWrong = wrongConfirmations.has(error.code);
    if (!isFirst && (!isWrong || session.isFresh || code + password + credential === ""))
      return await show(visitor, formProblem(error));
    const problem = isFirst ? undefined : error.message;
    const { id } = session.user;
    const hasIdentity = (await identitiesOf(hub.database, id)).length > 0;
    const providers = hasIdentity ? (hub.settings.HUB_SIGN_IN_PROVIDERS ?? []) : [];
    const hasPasskey = (await passkeysOf(hub.database, id)).length > 0;
    return sendPage(reply, visitor, {
      title: session.user.hasSecondFactor ? "Confirm with a code" : "Confirm that it is you",
      status: error.status,
      children: <ConfirmChange {...{ visitor, page, problem, providers, hasPasskey }} />,
    });
  }
}

/** The notice or the error of a submitted form. */
export function FeedbackText({ notice, problem }: Feedback): ReactNode {
  return (
    <>
      <Notice text={notice} />
      <Problem text={problem} />
    </>
  );
}

function ConfirmChange({
  visitor,
  page,
  problem,
  providers,
  hasPasskey,
}: {
  readonly visitor: SignedInVisitor;
  readonly page: string;
  readonly problem: string | undefined;
  readonly providers: readonly SignInProvider[];
  readonly hasPasskey: boolean;
}): ReactNode {
  const { request, session } = visitor;
  const { name, hasSecondFactor, hasPassword } = session.user;
  const form = { action: request.url, fields: submittedFields(request) };
  const fields = <HiddenFields {...form} />;
  return (
    <>
      <Problem text={problem} />
      <p>
        You signed in more than five minutes ago. Confirm that it is you. The hub then does not ask
        again for five minutes.
      </p>
      {(hasSecondFactor || hasPassword) && (
        <CardForm action={request.url}>
          {fields}
          <UsernameHint name={name} />
          {hasSecondFactor ? (
            <CodeField hint="The six digits from your authenticator app, or a recovery code." />
          ) : (
            <PasswordField name={passwordName} />
          )}
          <div className="buttons">
            <button>Confirm</button>
            <a className="button second" href={page}>
              Cancel
            </a>
          </div>
        </CardForm>
      )}
      {hasPasskey && (
        <PasskeyForm
          action={request.url}
          options="/settings/sign-in/passkey-request"
          label="Confirm with a passkey"
        >
          {fields}
        </PasskeyForm>
      )}
      {!hasSecondFactor && <ProviderButtons {...{ providers, form, next: page }} verb="Confirm" />}
    </>
  );
}

/** The page after a confirmation at a provider, which submits the form that asked for it. */
export function ContinueChange({ form }: { readonly form: SentForm }): ReactNode {
  return (
    <CardForm action={form.action}>
      <HiddenFields {...form} />
      <p>You have confirmed that it is you.</p>
      <button>Continue</button>
    </CardForm>
  );
}

function HiddenFields({ fields }: Pick<SentForm, "fields">): ReactNode {
  return fields.map(([name, value], index) => (
    <input key={index} type="hidden" name={name} value={value} />
  ));
}

/** The fields of the form, except its token and a wrong confirmation. */
function submittedFields({ body }: FastifyRequest): readonly (readonly [string, string])[] {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" && !confirmingNames.has(name) ? [[name, value] as const] : [],
  );
}
