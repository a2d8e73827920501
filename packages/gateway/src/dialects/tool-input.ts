/**
 * Reads the arguments of a tool call for a dialect that sends an object. Models may write invalid JSON: then the object has the
 * text under the key that Anthropic's documentation proposes, so that the agent can report it to the model.
 */
export function toolInput(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // The error is reported to the agent below.
  }
  return { INVALID_JSON: text };
}

/** The text of arguments that {@link toolInput} has read. */
export function toolArguments(input: unknown): string {
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields);
  const invalid = fields["INVALID_JSON"];
  if (keys.length === 1 && typeof invalid === "string") return invalid;
  return JSON.stringify(fields);
}
