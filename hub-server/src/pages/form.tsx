import type { InputHTMLAttributes, ReactNode } from "react";

import type { Visitor } from "../identity/sessions/visitor.ts";

/** A form of this hub's. It proves by a hidden field that it comes from the visitor's own page. */
export function Form({
  action,
  visitor,
  children,
  isInline = false,
}: {
  readonly action: string;
  readonly visitor: Visitor | undefined;
  readonly children: ReactNode;
  readonly isInline?: boolean;
}): ReactNode {
  return (
    <form method="post" action={action} className={isInline ? "inline" : undefined}>
      <input type="hidden" name="form" value={visitor?.formToken ?? ""} />
      {children}
    </form>
  );
}

/** A field with its label, and what helps to fill it in. */
export function Field({
  label,
  name,
  id = name,
  hint,
  ...input
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
} & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        required
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...input}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A name of an account. */
export function NameField(input: { readonly value?: string; readonly hint?: string }): ReactNode {
  const { value, hint } = input;
  return (
    <Field
      label="Name"
      name="name"
      autoComplete="username"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      maxLength={64}
      defaultValue={value}
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

/** Tells a password manager whose password is asked for. */
export function Whose({ name }: { readonly name: string }): ReactNode {
  return <input hidden readOnly name="username" autoComplete="username" value={name} />;
}

/** A password: the one that somebody has, or a new one. */
export function PasswordField({
  label = "Password",
  name = "password",
  isNew = false,
}: {
  readonly label?: string;
  readonly name?: string;
  readonly isNew?: boolean;
}): ReactNode {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete={isNew ? "new-password" : "current-password"}
      maxLength={256}
      {...(isNew && {
        minLength: 12,
        hint: "At least 12 characters. Four words are easy to keep.",
      })}
    />
  );
}

/** A code of an authenticator app. */
export function CodeField({
  id = "code",
  hint,
}: {
  readonly id?: string;
  readonly hint?: string;
}): ReactNode {
  return (
    <Field
      label="Code"
      name="code"
      id={id}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={20}
      {...(hint === undefined ? { inputMode: "numeric" } : { hint })}
    />
  );
}

/** What went wrong with the form; read out at once. */
export function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : (
    <p className="problem" role="alert">
      {text}
    </p>
  );
}

/** What has been done. */
export function Notice({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : (
    <p className="notice" role="status">
      {text}
    </p>
  );
}
