/**
 * Where a text is cut before it is tokenized; no token spans a cut.
 *
 * - `lines`: between lines, so that a token may be a whole line. Blank lines and rulers stay with the line before.
 * - `words`: into words with the space before them, single digits, tags such as `<move>`, runs of punctuation and of white space.
 */
export type Pieces = "lines" | "words";

const tag = String.raw`<\/?[A-Za-z][\w-]{0,31}>`;

// Runs have a bound, so that no text makes the pattern, or a piece, long.
const word = new RegExp(
  [
    tag,
    String.raw` ?[\p{L}\p{M}]{1,64}`,
    String.raw`\p{N}`,
    String.raw` ?(?:(?!${tag})[^\s\p{L}\p{M}\p{N}]){1,64}`,
    String.raw`\n{1,64}`,
    String.raw`[^\S\n]{1,64}(?!\S)`,
    String.raw`[^\S\n]`,
  ].join("|"),
  "gu",
);

const line = /[^\n]*\n(?:[^\p{L}\p{N}\n]{0,64}\n){0,16}|[^\n]+/gu;

/** Cuts a text; together, the pieces are the text. */
export function cut(text: string, pieces: Pieces): readonly string[] {
  return text.match(pieces === "lines" ? line : word) ?? [];
}
