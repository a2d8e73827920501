import type { Country } from "./entity.ts";
import { ask, type Dice, type Question, type Start, starts } from "./question.ts";
import type { World } from "./world.ts";

/** The two parts of the world that questions start from. No article is a start in both. */
export type Part = "train" | "eval";

/** Which questions are asked for. */
export interface Wanted {
  readonly part: Part;
  readonly minHops: number;
  readonly maxHops: number;
}

/** How many starts there are for each one of `eval`. */
const evalShare = 10;
/** No answer is right more often, or it would pay to guess it. */
const greatestShare = 0.01;
/** So many ways in a row without a new question mean that there is none left with so many hops. */
const patience = 2000;

/** Distinct questions, as many of each number of hops, until there are no more. */
export function* questions(
  world: World,
  { part, minHops, maxHops }: Wanted,
  dice: Dice,
): Generator<Question, void, undefined> {
  const byCountry = [
    ...groupByCountry(starts(world).filter((start) => partOf(start) === part)).values(),
  ];
  const asked = new Set<string>();
  const given = new Map<string, number>();
  const isNew = ({ prompt, answer }: Question): boolean =>
    !asked.has(prompt) && (given.get(answer) ?? 0) <= asked.size * greatestShare;
  // The numbers of hops take turns, so that few questions already have them all.
  const levels = Array.from({ length: maxHops - minHops + 1 }, (_, at) => minHops + at);
  for (let failures = 0; levels.length > 0;) {
    const hops = levels[0]!;
    // Country first, so that answers are spread over the world and not over its most populous parts.
    const question = ask(dice.pick(dice.pick(byCountry)), hops, dice);
    if (question === undefined || !isNew(question)) {
      failures += 1;
      if (failures < patience) continue;
    } else {
      asked.add(question.prompt);
      given.set(question.answer, (given.get(question.answer) ?? 0) + 1);
      yield question;
      levels.push(hops);
    }
    levels.shift();
    failures = 0;
  }
}

/** The part a start belongs to: fixed by its id, so that runs with different seeds do not mix the parts. */
export function partOf({ id }: { readonly id: string }): Part {
  let hash = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(id)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % evalShare === 0 ? "eval" : "train";
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
