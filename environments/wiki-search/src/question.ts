import { isAnswer, mentions } from "./answer.ts";
import type { City, Country, Entity, Region } from "./entity.ts";
import type { Link } from "./relation.ts";
import { links } from "./relations.ts";
import type { World } from "./world.ts";

/** A question with its one right answer and the way there. */
export interface Question {
  readonly prompt: string;
  readonly answer: string;
  /** Other ways to write the answer, itself included. */
  readonly accepted: readonly string[];
  readonly hops: number;
  /** The title of the article that the question names. */
  readonly start: string;
  /** The relations to follow, one a hop: `["city.region", "region.seat"]`. */
  readonly relations: readonly string[];
  /** The ids of the articles that say so, one a hop. */
  readonly articles: readonly string[];
}

/** Where chance comes from. */
export interface Dice {
  int(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** What a question can start from. */
export type Start = City | Region | Country;

/** Which articles a question may name: those that only one thing in the world is called. */
export function starts({ cities, regions, countries }: World): readonly Start[] {
  return [
    ...countries.filter(isClear),
    ...regions.filter((region) => region.title === region.name && isClear(region)),
    ...cities.filter((city) => city.isOneOfAKind && isClear(city)),
  ];
}

/** A question of `hops` hops from `start` by a random way, or nothing if that way does not make a good question. */
export function ask(start: Start, hops: number, dice: Dice): Question | undefined {
  const way: Entity[] = [start];
  const taken: Link[] = [];
  for (let hop = 1; hop <= hops; hop += 1) {
    const isLast = hop === hops;
    const open = links(way.at(-1)!).filter(({ value }) =>
      typeof value === "string" ? isLast : isClear(value),
    );
    if (open.length === 0) return undefined;
    const link = dice.pick(open);
    // "The largest neighbour of the largest neighbour of …" tests patience, not research.
    if (taken.some(({ key }) => key === link.key) || isShortcut(way, link.value)) return undefined;
    taken.push(link);
    if (!isLast && typeof link.value !== "string") way.push(link.value);
  }
  return phrase(start, way, taken);
}

/** Countries only if they are independent: whether a territory is one is a matter of opinion. */
function isClear(entity: Entity): boolean {
  if (entity.kind === "country") return entity.isIndependent;
  if (entity.kind === "city" || entity.kind === "region") return entity.country.isIndependent;
  return true;
}

/** Whether an earlier article already tells `next`, or is called that: then the question has fewer hops than it says. */
function isShortcut(way: readonly Entity[], next: Entity | string): boolean {
  const told = textOf(next);
  const tells = (entity: Entity): boolean =>
    links(entity).some(({ value }) => isAnswer(textOf(value), [told]));
  return way.some((entity) => isAnswer(entity.name, [told])) || way.slice(0, -1).some(tells);
}

function textOf(value: Entity | string): string {
  return typeof value === "string" ? value : value.name;
}

function phrase(
  start: Start,
  way: readonly Entity[],
  taken: readonly Link[],
): Question | undefined {
  const last = taken.at(-1)!;
  let subject = named(start);
  for (const { relation } of taken.slice(0, -1))
    subject = relation.phrase!.replace("{subject}", () => subject);
  const question = last.relation.question.replace("{subject}", () => subject);

  const { value } = last;
  const accepted = typeof value === "string" ? [value] : [...new Set([value.name, value.title])];
  const answer = accepted[0]!;
  if (!isAnswer(answer, accepted) || mentions(question, answer)) return undefined;
  // Nor may the question name a later article of the way: that would cut the way short.
  if (way.slice(1).some((entity) => mentions(question, entity.name))) return undefined;
  return {
    prompt: question,
    answer,
    accepted,
    hops: taken.length,
    start: start.title,
    relations: taken.map((link) => link.key),
    articles: way.map((entity) => entity.id),
  };
}

function named(start: Start): string {
  return start.kind === "city" ? `the city of ${start.name}` : `the ${start.kind} ${start.name}`;
}
