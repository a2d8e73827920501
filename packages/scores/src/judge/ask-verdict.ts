import {
  assistantMessage,
  type Judge,
  type Message,
  RolloutError,
  type Sampling,
  userMessage,
} from "@envs/core";

import { type Opinion, readOpinion, type Verdict } from "./verdict.ts";

export interface Vote {
  readonly judge: Judge;
  readonly messages: readonly Message[];
  readonly verdict: Verdict;
  readonly sampling: Sampling | undefined;
  /** Distinguishes the votes of a judge. */
  readonly seed: number;
  /** How many times an answer without a verdict is asked again. */
  readonly retries: number;
}

/** Asks a judge until an answer has a verdict. Throws a `RolloutError` if the last answer lacks one too. */
export async function askVerdict(vote: Vote): Promise<Opinion> {
  const { judge, verdict, sampling, seed, retries } = vote;
  const messages = [...vote.messages];
  let answer = "";
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    const { message } = await judge({
      messages: messages.slice(),
      sampling,
      seed,
      // Does not store an invalid answer, so that another rollout with the same reply asks again.
      accepts: (response) => readOpinion(verdict, response.message.content) !== undefined,
    });
    answer = message.content;
    const opinion = readOpinion(verdict, answer);
    if (opinion !== undefined) return opinion;
    const again = `Your answer has no valid verdict. ${verdict.instruction}`;
    messages.push(assistantMessage(answer), userMessage(again));
  }
  const [last = ""] = answer.trim().split("\n").slice(-1);
  throw new RolloutError(
    "score",
    `The judge ${judge.id} gave no valid verdict in ${retries + 1} answers. The last line of the last one is ${JSON.stringify(last.slice(0, 200))}. It must be Verdict: and the verdict. Use a more capable judge, or a simpler verdict.`,
  );
}
