/** The tokens that start a message of a role or end a reply. `encode` never produces them. */
export const roleTokens = [
  "<|system|>",
  "<|user|>",
  "<|assistant|>",
  "<|tool|>",
  "<|end|>",
] as const;

export type RoleToken = (typeof roleTokens)[number];

/** Tokens for half a byte. Two of them encode one byte of a character outside the alphabet. */
const nibbleTokens: readonly string[] = Array.from(
  { length: 16 },
  (_, nibble) => `<${nibble.toString(16)}>`,
);

/** The first tokens of every tokenizer, in the order of their ids. */
export const specialTokens: readonly string[] = [...roleTokens, ...nibbleTokens];

const firstNibble = roleTokens.length;

/** Encodes the UTF-8 bytes of `text` as nibble tokens, high half first. */
export function encodeNibbles(text: string): number[] {
  return Array.from(new TextEncoder().encode(text)).flatMap((byte) => [
    firstNibble + (byte >> 4),
    firstNibble + (byte & 15),
  ]);
}

/** The nibble of a nibble token; undefined for other tokens. */
export function nibbleAt(id: number): number | undefined {
  return id >= firstNibble && id < specialTokens.length ? id - firstNibble : undefined;
}

/** Decodes nibbles; half a byte and invalid UTF-8 become U+FFFD. */
export function decodeNibbles(nibbles: readonly number[]): string {
  const bytes = new Uint8Array(nibbles.length >> 1);
  for (const index of bytes.keys())
    bytes[index] = (nibbles[2 * index]! << 4) | nibbles[2 * index + 1]!;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return nibbles.length % 2 === 0 ? text : `${text}\uFFFD`;
}
