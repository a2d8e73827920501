/** Differences that a comparison of texts ignores. White space at both ends is always ignored. */
export type Ignored = "case" | "punctuation" | "space" | "accents";

export interface TextOptions {
  readonly ignore?: readonly Ignored[] | undefined;
}

/** A text without the parts that a comparison ignores, in one Unicode form. */
export function fold(text: string, { ignore = [] }: TextOptions = {}): string {
  let folded = text.normalize("NFC");
  if (ignore.includes("accents"))
    folded = folded.normalize("NFD").replaceAll(/\p{M}/gu, "").normalize("NFC");
  if (ignore.includes("case")) folded = folded.toLowerCase();
  if (ignore.includes("punctuation")) folded = folded.replaceAll(/[\p{P}\p{S}]/gu, " ");
  if (ignore.includes("punctuation") || ignore.includes("space"))
    folded = folded.replaceAll(/\s+/gu, " ");
  return folded.trim();
}
