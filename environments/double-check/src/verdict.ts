import { add, format, isEqual, type Rational, rational } from "./rational.ts";
import { readNumber } from "./read-number.ts";

/** The judgement of one reply; `missing` when it contains no number. */
export type Verdict = "right" | "wrong" | "missing";

/** Compares the answer in a reply with the right one, by value and not by notation. */
export function judge(answer: string | undefined, right: string): Verdict {
  const number = answer === undefined ? undefined : readNumber(answer);
  if (number === undefined) return "missing";
  return isEqual(number, knownNumber(right)) ? "right" : "wrong";
}

/** A wrong answer: the right one plus 1. */
export function wrongAnswer(right: string): string {
  return format(add(knownNumber(right), rational(1)));
}

function knownNumber(text: string): Rational {
  const number = readNumber(text);
  if (number === undefined) throw new Error(`The example's answer ${text} is not a number.`);
  return number;
}
