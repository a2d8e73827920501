import type { ReactNode } from "react";

import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import { CardForm, EmailField } from "../layout/form.tsx";
import { CodeField, NameField, PasswordField, Problem } from "../layout/form.tsx";
import { PasskeyForm } from "../layout/passkey-form.tsx";
import { ProviderButtons } from "../layout/provider-buttons.tsx";

const nameHint =
  "Lower-case letters, digits and hyphens. The name is also the scope of your packages: @name/package.";

interface SignInProps {
  /** The path to open after signing in. */
  readonly next: string;
  readonly problem?: string | undefined;
}

interface WithProviders {
  readonly providers: readonly SignInProvider[] | undefined;
}

/** The form for name and password, and the buttons of the providers. */
export function SignIn({
  next,
  problem,
  name,
  isOpen,
  providers = [],
  canReset = false,
}: SignInProps &
  WithProviders & {
    readonly name?: string | undefined;
    readonly isOpen: boolean;
    /** Whether the hub sends e-mail. */
    readonly canReset?: boolean;
  }): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action="/sign-in">
        <input type="hidden" name="next" value={next} />
        <NameField value={name} />
        <PasswordField />
        <button>Sign in</button>
      </CardForm>
      <PasskeySignIn next={next} />
      <ProviderButtons {...{ providers, next }} verb="Continue" />
      {canReset && (
        <p className="quiet small">
          <a href="/sign-in/forgot">Reset your password</a>
        </p>
      )}
      <p className="quiet small">
        {isOpen ? (
          <a href={`/register?next=${encodeURIComponent(next)}`}>Create an account</a>
        ) : (
          "To create an account, ask an administrator of this hub for an invitation."
        )}
      </p>
    </>
  );
}

function PasskeySignIn({ next }: SignInProps): ReactNode {
  return (
    <PasskeyForm
      action="/sign-in/passkey"
      options="/sign-in/passkey-request"
      label="Sign in with a passkey"
    >
      <input type="hidden" name="next" value={next} />
    </PasskeyForm>
  );
}

/** The form for the code of the second factor. */
export function CodeStep({ next, problem }: SignInProps): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action="/sign-in/code">
        <input type="hidden" name="next" value={next} />
        <CodeField hint="The six digits from your authenticator app, or a recovery code." />
        <button>Sign in</button>
      </CardForm>
      <PasskeySignIn next={next} />
    </>
  );
}

/** The form for a new account. */
export function NewAccount({
  next,
  problem,
  action,
  values,
  providers = [],
  invitation,
}: SignInProps &
  WithProviders & {
    readonly action: string;
    /** The secret of the visitor's invitation. */
    readonly invitation?: string | undefined;
    readonly values: { readonly name: string; readonly email: string };
  }): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action={action}>
        <input type="hidden" name="next" value={next} />
        <NameField value={values.name} hint={nameHint} />
        <EmailField value={values.email} />
        <PasswordField isNew />
        <button>Create account</button>
      </CardForm>
      <ProviderButtons {...{ providers, next, invitation }} verb="Continue" />
    </>
  );
}

/** The form for the name of an account whose user signs in with a provider. */
export function ChooseName({
  problem,
  label,
  values,
}: {
  readonly problem?: string | undefined;
  /** The account at the provider. */
  readonly label: string;
  readonly values: { readonly name: string; readonly email: string };
}): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <p>
        No account of this hub signs in as <strong>{label}</strong> yet. Choose the name of a new
        one. If you have an account, sign in another way and add this one in your settings.
      </p>
      <CardForm action="/sign-in/new-account">
        <NameField value={values.name} hint={nameHint} />
        <EmailField value={values.email} />
        <button>Create account</button>
      </CardForm>
    </>
  );
}
