import type { ReactNode } from "react";

import { Checkbox, Radios, TextArea } from "../layout/choices.tsx";
import { CardForm, Field } from "../layout/form.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";
import type { TokenFields } from "./token-form.ts";

/** The form for a new token. */
export function NewToken({
  visitor,
  values,
}: {
  readonly visitor: SignedInVisitor;
  readonly values: TokenFields;
}): ReactNode {
  const { name, hasSecondFactor } = visitor.session.user;
  return (
    <CardForm action="/settings/tokens/create">
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        maxLength={200}
        defaultValue={values.name}
        hint="Where you will use it, such as “CI of word-length”."
      />
      <Radios
        label="Permission"
        name="permission"
        value={values.permission || "read-only"}
        choices={[
          { value: "read-only", label: "Read", hint: "Install private packages." },
          { value: "read-write", label: "Read and publish", hint: "Change everything you may." },
        ]}
      />
      <Field
        label="Days until it expires"
        name="days"
        type="number"
        min={1}
        max={3650}
        defaultValue={values.days || "90"}
      />
      <details open={values.targets !== "" || values.cidr !== ""}>
        <summary>Limit what it reaches</summary>
        <TextArea
          label="Packages and scopes (optional)"
          name="targets"
          defaultValue={values.targets}
          spellCheck={false}
          hint={`One per line, such as @${name}/word-length or @${name}. Empty: all that you may use.`}
        />
        <TextArea
          label="IP addresses (optional)"
          name="cidr"
          rows={2}
          defaultValue={values.cidr}
          spellCheck={false}
          hint="One address or CIDR range per line, such as 192.0.2.0/24. Empty: from anywhere."
        />
      </details>
      {hasSecondFactor && (
        <Checkbox
          label="Publish without a code"
          name="bypass"
          isChecked={values.bypass === "yes"}
          hint="The token bypasses your second factor, as CI needs. Prefer a trusted publisher, which needs no token."
        />
      )}
      <button>Create token</button>
    </CardForm>
  );
}

/** The secret of a new token, which the hub shows once, and how to use it. */
export function CreatedToken({ secret, origin }: { secret: string; origin: string }): ReactNode {
  const { host } = new URL(origin);
  const line = `//${host}/:_authToken=${secret}`;
  return (
    <div className="notice" role="status">
      <p>Copy the token now. The hub stores only its hash, and does not show it again.</p>
      <Copyable text={secret} label="Copy the token" />
      <p>For npm, pnpm and Yarn 1, put it into .npmrc, best through a variable:</p>
      <Copyable text={line} label="Copy the line for .npmrc" />
    </div>
  );
}

function Copyable({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <div className="command">
      <code>{text}</code>
      <button type="button" className="second small" data-copy={text} aria-label={label}>
        Copy
      </button>
    </div>
  );
}
