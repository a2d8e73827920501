/** The characters of a text (Unicode code points) from the last to the first. */
export function reverse(text: string): string {
  return Array.from(text).toReversed().join("");
}
