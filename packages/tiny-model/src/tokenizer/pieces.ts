/**
 * How a text is split before it is tokenized; no token spans two pieces.
 *
 * - `lines`: between lines, so that a token can be a whole line. Blank lines and rulers belong to the line before them.
 * - `words`: into words with the space before them, single digits, tags such as `<move>`, runs of punctuation and runs of
 *   white space.
 */
export type Pieces = "lines" | "words";

const tag = String.raw`<\/?[A-Za-z][\w-]{0,31}>`;

// Bounded repetitions limit the length of a piece and the time of a match.
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

/** Splits a text; the concatenated pieces are the text. */
export function splitPieces(text: string, pieces: Pieces): readonly string[] {
  return text.match(pieces === "lines" ? line : word) ?? [];
}
