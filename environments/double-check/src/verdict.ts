import { add, format, isEqual, type Rational, rational } from "./rational.ts";
import { readNumber } from "./read-number.ts";

/** What a reply's answer is; `missing`: there is no number. */
export type Verdict = "right" | "wrong" | "missing";

/** Compares an answer, as it was written, with the right one. */
export function judge(written: string | undefined, right: string): Verdict {
  const number = written === undefined ? undefined : readNumber(written);
  if (number === undefined) return "missing";
  return isEqual(number, knownNumber(right)) ? "right" : "wrong";
}

/** A number that is not the right answer: one more than it. */
export function wrongAnswer(right: string): string {
  return format(add(knownNumber(right), rational(1)));
}

function knownNumber(text: string): Rational {
  const number = readNumber(text);
  if (number === undefined) throw new Error(`The right answer ${text} is not a number.`);
  return number;
}
