/** A positional argument that may be missing. */
export function argument(description: string): {
  readonly type: "positional";
  readonly required: false;
  readonly description: string;
} {
  return { type: "positional", required: false, description };
}

/** An option with a value, which the help shows as `<valueHint>`, and perhaps a letter for it, such as `-n`. */
export function valueOption(
  description: string,
  valueHint?: string,
  alias?: string,
): {
  readonly type: "string";
  readonly description: string;
  readonly valueHint?: string;
  readonly alias?: string;
} {
  return {
    type: "string",
    description,
    ...(valueHint !== undefined && { valueHint }),
    ...(alias !== undefined && { alias }),
  };
}

/** An option without a value. */
export function flag(description: string): {
  readonly type: "boolean";
  readonly description: string;
} {
  return { type: "boolean", description };
}
