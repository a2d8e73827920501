/** The tokens that say who speaks, and where a reply of the model ends. No text is ever encoded to one. */
export const roleTokens = [
  "<|system|>",
  "<|user|>",
  "<|assistant|>",
  "<|tool|>",
  "<|end|>",
] as const;

export type RoleToken = (typeof roleTokens)[number];

/** Half a byte each: two of them write a byte of a character that the tokenizer was not trained on. */
const nibbleTokens: readonly string[] = Array.from(
  { length: 16 },
  (_, nibble) => `<${nibble.toString(16)}>`,
);

/** What every tokenizer has, in the order of the ids. */
export const specialTokens: readonly string[] = [...roleTokens, ...nibbleTokens];

const firstNibble = roleTokens.length;

/** The UTF-8 bytes of `text` as ids of nibble tokens, high half first. */
export function nibblesOf(text: string): number[] {
  return Array.from(new TextEncoder().encode(text)).flatMap((byte) => [
    firstNibble + (byte >> 4),
    firstNibble + (byte & 15),
  ]);
}

/** Half a byte, if `id` is a nibble token. */
export function nibbleAt(id: number): number | undefined {
  return id >= firstNibble && id < specialTokens.length ? id - firstNibble : undefined;
}

/** The text of nibbles; what is no UTF-8, or half a byte, becomes U+FFFD, as everywhere on the web. */
export function textOfNibbles(nibbles: readonly number[]): string {
  const bytes = new Uint8Array(nibbles.length >> 1);
  for (const index of bytes.keys())
    bytes[index] = (nibbles[2 * index]! << 4) | nibbles[2 * index + 1]!;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return nibbles.length % 2 === 0 ? text : `${text}\uFFFD`;
}
