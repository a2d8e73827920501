import type { ReactNode } from "react";

import type { Visitor } from "../identity/sessions/visitor.ts";
import { CodeField, Field, Form, NameField, PasswordField, Problem } from "./form.tsx";

interface SignInProps {
  readonly visitor: Visitor;
  /** Where to go on. */
  readonly next: string;
  readonly problem?: string | undefined;
}

/** A name and a password. */
export function SignIn({
  visitor,
  next,
  problem,
  name,
  isOpen,
}: SignInProps & { readonly name?: string; readonly isOpen: boolean }): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <div className="card">
        <Form action="/sign-in" visitor={visitor}>
          <input type="hidden" name="next" value={next} />
          <NameField {...(name === undefined ? {} : { value: name })} />
          <PasswordField />
          <button>Sign in</button>
        </Form>
      </div>
      <p className="quiet small">
        {isOpen ? (
          <a href={`/register?next=${encodeURIComponent(next)}`}>Make an account</a>
        ) : (
          "No account? Ask an administrator of this hub for an invitation."
        )}
      </p>
    </>
  );
}

/** The second factor. */
export function SecondStep({ visitor, next, problem }: SignInProps): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <div className="card">
        <Form action="/sign-in/code" visitor={visitor}>
          <input type="hidden" name="next" value={next} />
          <CodeField hint="The six digits that your authenticator app shows, or a recovery code." />
          <button>Sign in</button>
        </Form>
      </div>
    </>
  );
}

/** What a new account needs. */
export function NewAccount({
  visitor,
  next,
  problem,
  action,
  given,
}: SignInProps & {
  readonly action: string;
  readonly given: { readonly name: string; readonly email: string };
}): ReactNode {
  return (
    <>
      <Problem text={problem} />
      <div className="card">
        <Form action={action} visitor={visitor}>
          <input type="hidden" name="next" value={next} />
          <NameField
            value={given.name}
            hint="Lower-case letters, digits and hyphens. It is also the scope of your packages: @name/package."
          />
          <Field
            label="E-mail (optional)"
            name="email"
            type="email"
            autoComplete="email"
            required={false}
            maxLength={254}
            defaultValue={given.email}
          />
          <PasswordField isNew />
          <button>Make the account</button>
        </Form>
      </div>
    </>
  );
}
