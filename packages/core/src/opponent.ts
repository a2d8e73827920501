import type * as z from "zod";

import { boundary, ConfigError } from "./errors.ts";

/** What the environment's other side is asked. */
export interface OpponentQuestion {
  readonly text: string;
  /** Why the last answer to this question was refused. */
  readonly problem?: string;
}

/** Whoever plays the environment's other side: a person, or another model. Answers in text. */
export type Opponent = (question: OpponentQuestion) => Promise<string>;

/** Asks the other side, again and again until its answer fits the schema. */
export type AskOpponent = <Answer>(
  question: string,
  answer: z.ZodType<Answer, string>,
) => Promise<Answer>;

/** What `respond` asks with; `undefined` where the environment plays its other side itself. */
export function askerOf(
  opponent: Opponent | undefined,
  { name, opponent: side }: { readonly name: string; readonly opponent?: string | undefined },
): AskOpponent | undefined {
  if (opponent === undefined) return undefined;
  if (side === undefined)
    throw new ConfigError(`${name} has no other side that someone could play.`);
  return async (text, answer) => {
    for (let question: OpponentQuestion = { text }; ;) {
      const asked = question;
      const said = await boundary("model", "the opponent", () => opponent(asked));
      const read = await answer.safeParseAsync(said);
      if (read.success) return read.data;
      question = { text, problem: read.error.issues.map(({ message }) => message).join(" ") };
    }
  };
}
