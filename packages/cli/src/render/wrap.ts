import stringWidth from "fast-string-width";

/** How many columns a text takes in a terminal; colours take none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a text that is wider than `columns`, with a sign that it was cut. The text may be painted. */
export function fit(text: string, columns: number): string {
  if (isPlain(text) ? text.length <= columns : widthOf(text) <= columns) return text;
  let room = columns - 1;
  let kept = "";
  for (const [index, part] of text.split(style).entries()) {
    // What the pattern of `split` captures comes at every second place.
    const end = index % 2 === 1 ? part.length : placeAt(part, room);
    kept += part.slice(0, end);
    if (end < part.length) return `${kept}…`;
    if (index % 2 === 0) room -= widthOf(part);
  }
  return kept;
}

const style = new RegExp(String.raw`(\u001B\[[\d;]*m)`);
const graphemes = new Intl.Segmenter();

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** How much of the beginning of a text fits in `columns`, as an index. Whole graphemes, so that no sign is torn. */
function placeAt(text: string, columns: number): number {
  if (isPlain(text.slice(0, columns + 1))) return Math.min(text.length, columns);
  // A text is only looked at as far as it can matter: whoever wraps a long one asks many times.
  const near = text.slice(0, columns * 4 + 64);
  let width = 0;
  for (const { segment, index } of graphemes.segment(near)) {
    width += widthOf(segment);
    if (width > columns) return index;
  }
  return near.length;
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
    const end = placeAt(rest, columns);
    if (end === rest.length) return [...lines, rest];
    // A sign may be wider than the terminal.
    const most = end > 0 ? end : rest.codePointAt(0)! > 0xffff ? 2 : 1;
    const blank = rest.lastIndexOf(" ", most);
    const isWithin = blank > 0 && rest.slice(0, blank).trim() !== "";
    lines.push(rest.slice(0, isWithin ? blank : most));
    rest = rest.slice(isWithin ? blank + 1 : most);
  }
}
