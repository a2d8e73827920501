import type { ReactNode } from "react";

import type { ConfigField } from "./fields.ts";
import { parameterPrefix } from "./form-state.ts";

/** An option's control with its label, type, description and problem. */
export function OptionField({
  field,
  value,
  problem,
  onChange,
}: {
  readonly field: ConfigField;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = `config-${field.name}`;
  const hint = [field.description, field.kind === "choice" ? "" : field.type]
    .filter((text) => text !== "")
    .join(" · ");
  return (
    <div className="option">
      <label htmlFor={id}>
        <code>{field.name}</code>
      </label>
      <Control
        {...{ field, value, onChange, id }}
        describedBy={`${id}-hint`}
        isInvalid={problem !== undefined}
      />
      <p className="hint" id={`${id}-hint`}>
        {problem === undefined ? (
          <InlineCode text={hint} />
        ) : (
          <strong className="wrong">{problem}</strong>
        )}
      </p>
    </div>
  );
}

function Control({
  field: { name, kind, choices, minimum, maximum, isInteger, byDefault, isRequired },
  value,
  onChange,
  id,
  describedBy,
  isInvalid,
}: {
  readonly field: ConfigField;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly id: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
}): ReactNode {
  const shared = {
    id,
    value,
    name: `${parameterPrefix}${name}`,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid ? true : undefined,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value),
  };
  if (kind === "boolean" || kind === "choice") {
    const listed = kind === "boolean" ? ["true", "false"] : choices;
    // The select also shows an invalid value from the address.
    const values = listed.includes(value) ? listed : [value, ...listed];
    return (
      <select {...shared}>
        {values.map((choice) => (
          <option key={choice} value={choice}>
            {choice === byDefault ? `${choice} (default)` : choice === "" ? "not set" : choice}
          </option>
        ))}
      </select>
    );
  }
  const placeholder = isRequired ? "required" : byDefault === "" ? "not set" : byDefault;
  if (kind !== "number") return <input {...shared} placeholder={placeholder} spellCheck={false} />;
  return (
    <input
      {...shared}
      type="number"
      step={isInteger ? 1 : "any"}
      min={minimum ?? undefined}
      max={maximum ?? undefined}
      placeholder={placeholder}
    />
  );
}

/** A description in which `backticks` enclose code. */
export function InlineCode({ text }: { readonly text: string }): ReactNode {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part.slice(1, -1)}</code>));
}
