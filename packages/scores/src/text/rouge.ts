import { nGrams, sharedCount } from "./n-grams.ts";

/** The units that two texts must share: single words, pairs of words, or words in the same order. */
export type RougeVariant = "rouge-1" | "rouge-2" | "rouge-l";

/**
 * The F-measure of ROUGE, from 0 to 1 (Lin, 2004), of summaries for example. Equal to Google's `rouge_score` without a stemmer:
 * words are letters and digits in lower case. Default variant: `rouge-l`, the longest common subsequence.
 */
export function rouge(
  answer: string,
  reference: string,
  variant: RougeVariant = "rouge-l",
): number {
  const [given, expected] = [words(answer), words(reference)];
  if (variant === "rouge-l")
    return fMeasure(commonSubsequence(given, expected), given.length, expected.length);
  const size = variant === "rouge-1" ? 1 : 2;
  const shared = sharedCount(nGrams(given, size), nGrams(expected, size));
  return fMeasure(shared, given.length - size + 1, expected.length - size + 1);
}

function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function fMeasure(shared: number, given: number, expected: number): number {
  return shared === 0 ? 0 : (2 * shared) / (given + expected);
}

/** The length of the longest common subsequence, with one row of the table in memory. */
function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  const row = new Uint32Array(b.length + 1);
  for (const word of a) {
    let diagonal = 0;
    for (let index = 1; index <= b.length; index += 1) {
      const above = row[index]!;
      row[index] = b[index - 1] === word ? diagonal + 1 : Math.max(above, row[index - 1]!);
      diagonal = above;
    }
  }
  return row[b.length]!;
}
