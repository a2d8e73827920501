/** A value as JSON, for a message: as much of it as one wants to read. */
export function quoted(value: unknown): string {
  const written = JSON.stringify(typeof value === "string" ? shortText(value, 100) : value);
  return shortText(written, 110);
}

/** As much of a text as is told to whoever sent it. */
export function shortText(text: string, longest = 300): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
