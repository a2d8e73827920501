import { stripVTControlCharacters } from "node:util";

import measure from "fast-string-truncated-width";

/** How many columns a text takes in a terminal. */
export function widthOf(text: string): number {
  return measure(stripVTControlCharacters(text)).width;
}

/** Cuts a text that is wider than `columns`, with a sign that it was cut. */
export function fit(text: string, columns: number): string {
  const { index, truncated } = measure(text, { limit: columns, ellipsis: "…" });
  return truncated ? `${text.slice(0, index)}…` : text;
}

/**
 * Makes text safe for a terminal: what a model wrote may hold escape sequences, and signs that turn the direction of
 * writing. Control characters become visible, tabs become blanks.
 */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/[^\P{Cc}\n]/gu, (sign) => visible(sign.codePointAt(0)!))
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");
}

/** Unicode has a picture of each of the oldest control characters: `␛`. */
function visible(code: number): string {
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\uFFFD";
}

/** Breaks clean text into lines of at most `columns`, at blanks where there are any. */
export function wrap(text: string, columns: number): readonly string[] {
  if (columns === Infinity) return text.split("\n");
  return text.split("\n").flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  for (;;) {
    const { index, truncated } = measure(rest, { limit: columns, ellipsis: "" });
    if (!truncated) return [...lines, rest];
    // A sign may be wider than the terminal.
    const most = Math.max(index, rest.codePointAt(0)! > 0xffff ? 2 : 1);
    const blank = rest.lastIndexOf(" ", most);
    const isWithin = blank > 0 && rest.slice(0, blank).trim() !== "";
    lines.push(rest.slice(0, isWithin ? blank : most));
    rest = rest.slice(isWithin ? blank + 1 : most);
  }
}
