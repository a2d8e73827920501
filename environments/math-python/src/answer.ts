import { boxedParser, thinkParser } from "@envs/core";
import { sameMath } from "@envs/scores/maths";

export const boxed = boxedParser();
const think = thinkParser({ lenient: true });
const wholeNumber = /^-?\d+$/u;

/** The last boxed answer after the thinking. Empty without one, and while the thinking has not ended. */
export function finalAnswer(reply: string): string {
  if (reply.includes("<think>") && !reply.includes("</think>")) return "";
  return boxed.parse(think.parse(reply)) ?? "";
}

/** Whether the final answer of a reply is right. Only other forms than whole numbers need Math-Verify. */
export async function isRight(
  reply: string,
  answer: string,
  signal: AbortSignal,
): Promise<boolean> {
  const given = finalAnswer(reply).trim();
  if (given === "") return false;
  if (wholeNumber.test(given) && wholeNumber.test(answer)) return BigInt(given) === BigInt(answer);
  return await sameMath(given, answer, { signal });
}
