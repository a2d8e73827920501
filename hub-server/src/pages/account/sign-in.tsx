import type { ReactNode } from "react";

import { CardForm, EmailField } from "../layout/form.tsx";
import { CodeField, NameField, PasswordField, Problem } from "../layout/form.tsx";

interface SignInProps {
  /** The path to open after signing in. */
  readonly next: string;
  readonly problem?: string | undefined;
}

/** The form for name and password. */
export function SignIn({
  next,
  problem,
  name,
  isOpen,
}: SignInProps & { readonly name?: string | undefined; readonly isOpen: boolean }): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action="/sign-in">
        <input type="hidden" name="next" value={next} />
        <NameField value={name} />
        <PasswordField />
        <button>Sign in</button>
      </CardForm>
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
    </>
  );
}

/** The form for a new account. */
export function NewAccount({
  next,
  problem,
  action,
  values,
}: SignInProps & {
  readonly action: string;
  readonly values: { readonly name: string; readonly email: string };
}): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action={action}>
        <input type="hidden" name="next" value={next} />
        <NameField
          value={values.name}
          hint="Lower-case letters, digits and hyphens. The name is also the scope of your packages: @name/package."
        />
        <EmailField value={values.email} />
        <PasswordField isNew />
        <button>Create account</button>
      </CardForm>
    </>
  );
}
