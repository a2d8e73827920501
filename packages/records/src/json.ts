/** Reads values of records that other programs wrote: any field may be missing or of another type. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A finite number. Python writes NaN and infinite numbers into JSON, which means that the number is not known. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A text for the reader: a string as it is, another value as JSON. */
export function shownText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/**
 * Parses JSON, also with the bare words NaN and Infinity that Python's `json` writes; these become `null`. Throws a `SyntaxError`
 * for any other mistake.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/u.test(text)) throw error;
    const strings = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|-?\bInfinity\b|\bNaN\b/gsu;
    return JSON.parse(text.replaceAll(strings, (part) => (part.startsWith('"') ? part : "null")));
  }
}
