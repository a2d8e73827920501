import type { Country } from "./entity.ts";
import {
  type Question,
  randomQuestion,
  type RandomSource,
  type Start,
  starts,
} from "./question.ts";
import type { World } from "./world.ts";

/** The split that an article belongs to as the start of questions. */
export type Part = "train" | "eval";

/** The split and the difficulty of questions. */
export interface QuestionOptions {
  readonly part: Part;
  readonly minHops: number;
  readonly maxHops: number;
}

/** The number of starting articles of which one belongs to `eval`. */
const evalRatio = 10;
/** The greatest share of questions with the same answer: a larger one would reward guessing. */
const maxAnswerShare = 0.01;
/** After this many attempts in a row without a new question, questions with this number of hops have run out. */
const maxAttempts = 2000;

/** Yields distinct questions, equally many of each number of hops, until they run out. */
export function* questions(
  world: World,
  { part, minHops, maxHops }: QuestionOptions,
  random: RandomSource,
): Generator<Question, void, undefined> {
  const byCountry = [
    ...groupByCountry(starts(world).filter((start) => partOf(start) === part)).values(),
  ];
  const prompts = new Set<string>();
  const answerCounts = new Map<string, number>();
  const isNew = ({ prompt, answer }: Question): boolean =>
    !prompts.has(prompt) && (answerCounts.get(answer) ?? 0) <= prompts.size * maxAnswerShare;
  // Cycles through the numbers of hops, so that a short dataset already contains all of them.
  const levels = Array.from({ length: maxHops - minHops + 1 }, (_, at) => minHops + at);
  for (let failures = 0; levels.length > 0;) {
    const hops = levels[0]!;
    // Picks the country first, so that populous countries do not dominate the answers.
    const question = randomQuestion(random.pick(random.pick(byCountry)), hops, random);
    if (question === undefined || !isNew(question)) {
      failures += 1;
      if (failures < maxAttempts) continue;
    } else {
      prompts.add(question.prompt);
      answerCounts.set(question.answer, (answerCounts.get(question.answer) ?? 0) + 1);
      yield question;
      levels.push(hops);
    }
    levels.shift();
    failures = 0;
  }
}

/** The split of a start: a hash of its id, so that runs with different seeds do not mix the splits. */
export function partOf({ id }: { readonly id: string }): Part {
  let hash = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(id)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % evalRatio === 0 ? "eval" : "train";
}

function groupByCountry(all: readonly Start[]): Map<Country, Start[]> {
  const groups = new Map<Country, Start[]>();
  for (const start of all) {
    const country = start.kind === "country" ? start : start.country;
    const group = groups.get(country);
    if (group === undefined) groups.set(country, [start]);
    else group.push(start);
  }
  return groups;
}
