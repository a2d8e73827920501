import type { Asker, Dice, Question } from "./question.ts";
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

/** Endless questions, no two of them equal, of each level from `minLevel` to `maxLevel` in turn. */
export function* questions(
  { minLevel, maxLevel }: { readonly minLevel: number; readonly maxLevel: number },
  dice: Dice,
): Generator<LevelledQuestion> {
  const asked = new Set<string>();
  for (let index = 0; ; index += 1) {
    const level = minLevel + (index % (maxLevel - minLevel + 1));
    const question = newQuestion(levels[level - 1] ?? [], dice, asked);
    asked.add(question.text);
    yield { ...question, level };
  }
}

const patience = 10_000;

function newQuestion(askers: readonly Asker[], dice: Dice, asked: ReadonlySet<string>): Question {
  for (let attempt = 0; attempt < patience; attempt += 1) {
    const question = dice.pick(askers)(dice);
    if (!asked.has(question.text)) return question;
  }
  throw new RangeError(`After ${asked.size} questions there is no other. Ask for fewer examples.`);
}
