/** A stretch of English within a file: one comment, one string, or a whole document. */
export interface Passage {
  /** `error` is a string that an `Error` is constructed with. */
  readonly kind: "comment" | "string" | "error" | "document";
  /** Offset of the text in the file. */
  readonly start: number;
  /** The text, as long as its source: markup and code are blanked, so that offsets stay valid. */
  readonly text: string;
}

/** Spaces in place of `text`; line breaks stay. */
export function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

/** Replaces inline code by a word of the same length: it takes part in a sentence, but is not English. */
export function maskCode(text: string): string {
  return text.replaceAll(/(?<ticks>`+)(?!`)[^`]+?\k<ticks>(?!`)/g, mask);
}

/** Replaces `text` by a made-up word of the same length; line breaks stay. */
export function mask(text: string): string {
  return text.replaceAll(/[^\n]/g, "X");
}
