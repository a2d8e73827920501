import { fold } from "./fold.ts";

const groupSeparator = /(?<=\d)[,'’\s](?=\d{3}(?!\d))/g;
const unit =
  /^([\d.]+) (?:inhabitants|people|square (?:kilo)?(?:metres|meters)|square kilometres|square kilometers|sq km|km2)$/;

/** Removes what does not change an answer: case, diacritics, punctuation, articles, digit grouping, a number's unit. */
export function normaliseAnswer(text: string): string {
  const words = fold(text)
    .replace(groupSeparator, "")
    .replace(/['’‘ʻ`´]/g, "")
    .replace(/(?<!\d)\.|\.(?!\d)/g, "")
    .replace(/[^\p{L}\p{N}.]+/gu, " ")
    .trim();
  const bare = words.replace(/\b(?:a|an|the) /g, "");
  return bare.replace(unit, "$1");
}

/** Whether `reply` is one of the accepted answers. */
export function isAnswer(reply: string, accepted: readonly string[]): boolean {
  const normalised = normaliseAnswer(reply);
  return normalised !== "" && accepted.some((answer) => normaliseAnswer(answer) === normalised);
}

/** Whether `text` contains the phrase `words`, at word boundaries, after normalisation. */
export function mentions(text: string, words: string): boolean {
  return ` ${normaliseAnswer(text)} `.includes(` ${normaliseAnswer(words)} `);
}
