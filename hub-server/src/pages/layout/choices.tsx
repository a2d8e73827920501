import type { ReactNode, TextareaHTMLAttributes } from "react";

import { HubError } from "../../platform/errors/hub-error.ts";
import { Hint, PlainField } from "./form.tsx";
import { formFields, type SignedInVisitor } from "./require-session.ts";

/** A value of a select or of radio buttons. */
interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface ChoicesProps {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
}

/** A select with its label. Short labels of rows are hidden from sight, but not from screen readers. */
export function Select({
  label,
  name,
  id = name,
  choices,
  value,
  isLabelHidden = false,
}: ChoicesProps & { readonly id?: string; readonly isLabelHidden?: boolean }): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? "unseen" : undefined}>
        {label}
      </label>
      <select id={id} name={name} defaultValue={value}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Radio buttons in a fieldset, each with a hint. */
export function Radios({ label, name, choices, value }: ChoicesProps): ReactNode {
  return (
    <fieldset>
      <legend>{label}</legend>
      {choices.map((choice) => {
        const id = `${name}-${choice.value}`;
        return (
          <div className="choice" key={choice.value}>
            <input
              type="radio"
              id={id}
              name={name}
              value={choice.value}
              defaultChecked={choice.value === value}
              aria-describedby={choice.hint === undefined ? undefined : `${id}-hint`}
            />
            <div>
              <label htmlFor={id}>{choice.label}</label>
              <Hint of={id} text={choice.hint} />
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}

/** A checkbox with its label, submitted as `yes`. */
export function Checkbox({
  label,
  name,
  hint,
  isChecked = false,
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly isChecked?: boolean;
}): ReactNode {
  return (
    <div className="choice">
      <input
        type="checkbox"
        id={name}
        name={name}
        value="yes"
        defaultChecked={isChecked}
        aria-describedby={hint === undefined ? undefined : `${name}-hint`}
      />
      <div>
        <label htmlFor={name}>{label}</label>
        <Hint of={name} text={hint} />
      </div>
    </div>
  );
}

/** A text area with its label and an optional hint. */
export function TextArea({
  label,
  name,
  id = name,
  hint,
  ...area
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
} & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={4}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...area}
      />
      <Hint of={id} text={hint} />
    </div>
  );
}

/** The field in which the user types a name to confirm an action that cannot be undone. */
export function NameToConfirm({
  name,
  id = "confirmation",
}: {
  readonly name: string;
  readonly id?: string;
}): ReactNode {
  return (
    <PlainField label={`Type ${name} to confirm`} name="confirmation" id={id} maxLength={250} />
  );
}

/** Throws unless the user typed the name. */
export function requireTypedName({ request }: SignedInVisitor, name: string): void {
  const { confirmation } = formFields(request, "confirmation");
  if (confirmation.trim() === name) return;
  throw new HubError("not-confirmed", {
    message: `The typed name ${JSON.stringify(confirmation.slice(0, 100))} is not ${name}. Type ${name} to confirm.`,
  });
}
