/**
 * How a text is split before it is tokenized; no token spans two pieces.
 *
 * - `lines`: between lines, so that a token can be a whole line. Blank lines and rulers belong to the line before them.
 * - `words`: into words with the space before them, single digits, tags such as `<move>`, runs of punctuation and runs of
 *   white space.
 * - `clauses`: after each line and each mark of punctuation, so that unknown words share no token with a table, a list or a
 *   tag beside them. Blank lines and rulers belong to the line before them.
 */
export type Pieces = "lines" | "words" | "clauses";

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

const clause = /[^\n.,;:!?]*(?:[.,;:!?]{1,64}|\n(?:[^\p{L}\p{N}\n]{0,64}\n){0,16})|[^\n.,;:!?]+/gu;

const patterns: Readonly<Record<Pieces, RegExp>> = { lines: line, words: word, clauses: clause };

/** Splits a text; the concatenated pieces are the text. */
export function splitPieces(text: string, pieces: Pieces): readonly string[] {
  return text.match(patterns[pieces]) ?? [];
}
