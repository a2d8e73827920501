import type * as z from "zod";

import { boundary, ConfigError } from "./errors.ts";

/** A question to the opponent. */
export interface OpponentQuestion {
  readonly text: string;
  /** Why the previous answer to this question was invalid. */
  readonly problem?: string | undefined;
}

/** Plays the opponent in place of the environment: a person or another model. Answers in text. */
export type Opponent = (question: OpponentQuestion) => Promise<string>;

/** Asks the opponent, and repeats the question until the answer matches the schema. */
export type AskOpponent = <Answer>(
  question: string,
  answer: z.ZodType<Answer, string>,
) => Promise<Answer>;

/** Creates the function that `respond` calls; `undefined` if the environment plays the opponent itself. */
export function createAskOpponent(
  opponent: Opponent | undefined,
  {
    name,
    opponent: instructions,
  }: { readonly name: string; readonly opponent?: string | undefined },
): AskOpponent | undefined {
  if (opponent === undefined) return undefined;
  if (instructions === undefined)
    throw new ConfigError(
      `${name} has no opponent that a caller can play: its definition lacks \`opponent\`.`,
    );
  return async (text, schema) => {
    let problem: string | undefined;
    for (;;) {
      const question = { text, problem };
      const answer = await boundary("model", "the opponent", () => opponent(question));
      const parsed = await schema.safeParseAsync(answer);
      if (parsed.success) return parsed.data;
      problem = parsed.error.issues.map(({ message }) => message).join(" ");
    }
  };
}
