import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

import { paint } from "./text.ts";

/** The number of terminal columns that a text occupies, without its escape sequences. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Shortens a line that is wider than `columns`, and ends it with `…`. Colours are closed. */
export function truncate(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const [start = ""] = wrapAnsi(line, columns - 1, {
    hard: true,
    trim: false,
    wordWrap: false,
  }).split("\n", 1);
  // A first character of two columns does not fit into one.
  return widthOf(start) < columns ? `${start}…` : "…";
}

/** Breaks text into lines beside a label, which the first line has in front and whose width indents the others. */
export function labelledLines(label: string, text: string, columns: number): readonly string[] {
  return wrap(text, columns - label.length).map((line, index) =>
    index === 0 ? paint("dim", label) + line : " ".repeat(label.length) + line,
  );
}

/** Breaks text into lines of at most `columns`: at spaces where possible, else between graphemes. Keeps indentation. */
export function wrap(text: string, columns: number): readonly string[] {
  if (columns === Infinity) return text.split("\n");
  return text.split("\n").flatMap((line) =>
    wrapAnsi(line, columns, { hard: true, trim: false })
      .split("\n")
      .map((part, index) => (index === 0 ? part.trimEnd() : part.trim())),
  );
}
