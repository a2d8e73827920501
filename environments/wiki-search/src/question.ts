import { isAnswer, mentions } from "./answer.ts";
import type { City, Country, Entity, Region } from "./entity.ts";
import type { Link } from "./relation.ts";
import { links } from "./relations.ts";
import type { World } from "./world.ts";

/** A question with its only right answer and the path that leads to it. */
export interface Question {
  readonly prompt: string;
  readonly answer: string;
  /** All accepted spellings of the answer, itself included. */
  readonly accepted: readonly string[];
  readonly hops: number;
  /** The title of the article that the question names. */
  readonly start: string;
  /** The relations to follow, one a hop: `["city.region", "region.seat"]`. */
  readonly relations: readonly string[];
  /** The ids of the articles that state these relations, one a hop. */
  readonly articles: readonly string[];
}

/** The part of core's `Random` that questions use. */
export interface RandomSource {
  int(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** An entity that a question can name. */
export type Start = City | Region | Country;

/** The entities that a question may name: those whose name is unambiguous. */
export function starts({ cities, regions, countries }: World): readonly Start[] {
  return [
    ...countries.filter(isClear),
    ...regions.filter((region) => region.title === region.name && isClear(region)),
    ...cities.filter((city) => city.hasUniqueName && isClear(city)),
  ];
}

/** Follows a random path of `hops` relations from `start`. Returns `undefined` if it does not make a good question. */
export function randomQuestion(
  start: Start,
  hops: number,
  random: RandomSource,
): Question | undefined {
  const path: Entity[] = [start];
  const followed: Link[] = [];
  for (let hop = 1; hop <= hops; hop += 1) {
    const isLast = hop === hops;
    const open = links(path.at(-1)!).filter(({ value }) =>
      typeof value === "string" ? isLast : isClear(value),
    );
    if (open.length === 0) return undefined;
    const link = random.pick(open);
    // "The largest neighbour of the largest neighbour of …" is tedious and does not test research.
    if (followed.some(({ key }) => key === link.key) || isShortcut(path, link.value))
      return undefined;
    followed.push(link);
    if (!isLast && typeof link.value !== "string") path.push(link.value);
  }
  return phrase(start, path, followed);
}

/** Excludes territories and their places: sources disagree on whether a territory is a country. */
function isClear(entity: Entity): boolean {
  if (entity.kind === "country") return entity.isIndependent;
  if (entity.kind === "city" || entity.kind === "region") return entity.country.isIndependent;
  return true;
}

/** Whether an earlier article contains `next` or has it as its name: then fewer hops would answer the question. */
function isShortcut(path: readonly Entity[], next: Entity | string): boolean {
  const text = textOf(next);
  const contains = (entity: Entity): boolean =>
    links(entity).some(({ value }) => isAnswer(textOf(value), [text]));
  return path.some((entity) => isAnswer(entity.name, [text])) || path.slice(0, -1).some(contains);
}

function textOf(value: Entity | string): string {
  return typeof value === "string" ? value : value.name;
}

function phrase(
  start: Start,
  path: readonly Entity[],
  followed: readonly Link[],
): Question | undefined {
  const last = followed.at(-1)!;
  let subject = nameWithKind(start);
  for (const { relation } of followed.slice(0, -1))
    subject = relation.phrase!.replace("{subject}", () => subject);
  const question = last.relation.question.replace("{subject}", () => subject);

  const { value } = last;
  const accepted = typeof value === "string" ? [value] : [...new Set([value.name, value.title])];
  const answer = accepted[0]!;
  if (!isAnswer(answer, accepted) || mentions(question, answer)) return undefined;
  // The name of a later article in the question would be a shortcut.
  if (path.slice(1).some((entity) => mentions(question, entity.name))) return undefined;
  return {
    prompt: question,
    answer,
    accepted,
    hops: followed.length,
    start: start.title,
    relations: followed.map((link) => link.key),
    articles: path.map((entity) => entity.id),
  };
}

function nameWithKind(start: Start): string {
  return start.kind === "city" ? `the city of ${start.name}` : `the ${start.kind} ${start.name}`;
}
