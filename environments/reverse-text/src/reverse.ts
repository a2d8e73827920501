/** Reverses a text by Unicode code points. */
export function reverse(text: string): string {
  return Array.from(text).toReversed().join("");
}
