import type { QuestionMaker, RandomSource, Question } from "./question.ts";
import { algebra } from "./questions/algebra.ts";
import { oneOperation, severalOperations } from "./questions/arithmetic.ts";
import { fractions } from "./questions/fractions.ts";
import { stories } from "./questions/stories.ts";

const levels = [oneOperation, severalOperations, stories, fractions, algebra] as const;

/** The hardest level; the easiest is 1. */
export const hardestLevel: number = levels.length;

/** A question and how hard it is. */
export interface LevelledQuestion extends Question {
  readonly level: number;
}

/** Yields questions without end and without repeats, cycling through the levels from `minLevel` to `maxLevel`. */
export function* questions(
  { minLevel, maxLevel }: { readonly minLevel: number; readonly maxLevel: number },
  random: RandomSource,
): Generator<LevelledQuestion> {
  const seen = new Set<string>();
  for (let index = 0; ; index += 1) {
    const level = minLevel + (index % (maxLevel - minLevel + 1));
    const question = newQuestion(levels[level - 1] ?? [], random, seen);
    seen.add(question.text);
    yield { ...question, level };
  }
}

const maxAttempts = 10_000;

function newQuestion(
  makers: readonly QuestionMaker[],
  random: RandomSource,
  seen: ReadonlySet<string>,
): Question {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const question = random.pick(makers)(random);
    if (!seen.has(question.text)) return question;
  }
  throw new RangeError(
    `Cannot make another question after ${seen.size}: ${maxAttempts} attempts repeated earlier ones. Lower the option \`examples\`.`,
  );
}
