import { createContext, type InputHTMLAttributes, type ReactNode, useContext } from "react";

import type { Visitor } from "../../identity/sessions/visitor.ts";

/** The reader of a page, whose CSRF token the forms of the page send. */
export const VisitorContext = createContext<Visitor | undefined>(undefined);

/** A form with the visitor's CSRF token in a hidden field. */
export function Form({
  action,
  children,
  className,
}: {
  readonly action: string;
  readonly children: ReactNode;
  /** `inline` in a line of text, `row` for fields side by side. */
  readonly className?: string | undefined;
}): ReactNode {
  const visitor = useContext(VisitorContext);
  return (
    <form method="post" action={action} className={className}>
      <input type="hidden" name="form" value={visitor?.formToken ?? ""} />
      {children}
    </form>
  );
}

/** An input with its label and an optional hint. Required by default. */
export function Field({
  label,
  name,
  id = name,
  hint,
  ...input
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
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
      <Hint of={id} text={hint} />
    </div>
  );
}

/** A hint below a field, which `aria-describedby` of the field names. */
export function Hint({ of, text }: { of: string; text: string | undefined }): ReactNode {
  if (text === undefined) return null;
  return (
    <p className="hint" id={`${of}-hint`}>
      {text}
    </p>
  );
}

/** The input for an account name. */
export function NameField({
  value,
  hint,
}: {
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
}): ReactNode {
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
      hint={hint}
    />
  );
}

/** A hidden username, from which password managers recognise the account. */
export function UsernameHint({ name }: { readonly name: string }): ReactNode {
  return <input hidden readOnly name="username" autoComplete="username" value={name} />;
}

/** The input for the current password, or for a new one. */
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
      minLength={isNew ? 12 : undefined}
      hint={isNew ? "At least 12 characters. Four random words are easy to remember." : undefined}
    />
  );
}

/** The input for a code of an authenticator app. With a hint, phones show the full keyboard, for recovery codes. */
export function CodeField({
  id = "code",
  hint,
}: {
  readonly id?: string;
  readonly hint?: string | undefined;
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
      inputMode={hint === undefined ? "numeric" : undefined}
      hint={hint}
    />
  );
}

/** The error of a submitted form. Screen readers announce it immediately. */
export function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : (
    <p className="problem" role="alert">
      {text}
    </p>
  );
}

/** The confirmation of a completed action. */
export function Notice({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : (
    <p className="notice" role="status">
      {text}
    </p>
  );
}

/** A form on a card, below its heading. */
export function CardForm({
  title,
  danger = false,
  ...form
}: Omit<Parameters<typeof Form>[0], "className"> & {
  readonly title?: string;
  /** Marks a change that cannot be undone. */
  readonly danger?: boolean;
}): ReactNode {
  return (
    <>
      {title !== undefined && <h2>{title}</h2>}
      <div className={danger ? "card danger" : "card"}>
        <Form {...form} />
      </div>
    </>
  );
}

/** The input for a name that the browser must neither complete nor correct. */
export function PlainField(input: Parameters<typeof Field>[0]): ReactNode {
  return (
    <Field autoComplete="off" autoCapitalize="none" spellCheck={false} maxLength={64} {...input} />
  );
}

/** The optional input for an e-mail address. */
export function EmailField({ value }: { readonly value: string | undefined }): ReactNode {
  return (
    <Field
      label="E-mail (optional)"
      name="email"
      type="email"
      autoComplete="email"
      required={false}
      maxLength={254}
      defaultValue={value}
    />
  );
}
