import type { ReactNode } from "react";

import type { Visitor } from "../../identity/sessions/visitor.ts";
import { CardForm, EmailField } from "../layout/form.tsx";
import { CodeField, NameField, PasswordField, Problem } from "../layout/form.tsx";

interface SignInProps {
  readonly visitor: Visitor;
  /** The path to open after signing in. */
  readonly next: string;
  readonly problem?: string | undefined;
}

/** The form for name and password. */
export function SignIn({
  visitor,
  next,
  problem,
  name,
  isOpen,
}: SignInProps & { readonly name?: string | undefined; readonly isOpen: boolean }): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action="/sign-in" visitor={visitor}>
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
export function CodeStep({ visitor, next, problem }: SignInProps): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <CardForm action="/sign-in/code" visitor={visitor}>
        <input type="hidden" name="next" value={next} />
        <CodeField hint="The six digits from your authenticator app, or a recovery code." />
        <button>Sign in</button>
      </CardForm>
    </>
  );
}

/** The form for a new account. */
export function NewAccount({
  visitor,
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
      <CardForm action={action} visitor={visitor}>
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
