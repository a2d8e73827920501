import { boxedParser } from "@envs/core";

import { sameExactly } from "./exact/same-exactly.ts";
import { loadMathVerify } from "./math-verify/load.ts";

export interface SameMathOptions {
  /** Stops the comparison when the rollout ends: pass the `signal` of the score's context. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time limit of Math-Verify in milliseconds. An answer that it cannot decide within the limit is not the same, as in
   * Python. Default 15,000: the sum of Math-Verify's three limits.
   */
  readonly timeout?: number | undefined;
}

/** verifiers does not reward longer answers either; Math-Verify's patterns take minutes. */
const maxLength = 50_000;

const boxed = boxedParser();

/**
 * Whether two mathematical answers are the same, such as `\frac{1}{2}` and `0.5`. If a text has a `\boxed{…}`, its last one is
 * the answer. An empty answer is never the same.
 *
 * Answers that are exactly equal are recognised here. Math-Verify decides all others, in a worker thread: the verdict is that of
 * Python's `verify(parse("\boxed{reference}"), parse("\boxed{answer}"))`. Without Math-Verify the call rejects with a
 * `RolloutError` that explains how to install it.
 */
export async function sameMath(
  answer: string,
  reference: string,
  options: SameMathOptions = {},
): Promise<boolean> {
  options.signal?.throwIfAborted();
  const [given, expected] = [answerIn(answer), answerIn(reference)];
  if (given === "" || expected === "") return false;
  if (given.length > maxLength || expected.length > maxLength) return false;
  if (sameExactly(given, expected)) return true;
  const { mathVerify } = await loadMathVerify();
  return mathVerify({ answer: given, reference: expected }, options);
}

function answerIn(text: string): string {
  return (boxed.parse(text) ?? text).trim();
}
