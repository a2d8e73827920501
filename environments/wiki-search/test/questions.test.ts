import { random } from "@envs/core";
import { cases } from "@envs/tooling/cases";
import { describe, expect, test } from "vitest";

import { isAnswer, mentions } from "../src/answer.ts";
import { encyclopedia } from "../src/encyclopedia.ts";
import type { Question } from "../src/question.ts";
import { partOf, type Part, questions } from "../src/questions.ts";
import { nextStep } from "../src/research.ts";
import { readSources } from "../src/sources.ts";
import { openText, readText, searchText } from "../src/tool-texts.ts";

const book = encyclopedia();

function take(part: Part, [hops, count]: [number, number], seed = 0): Question[] {
  return questions(book.world, { part, minHops: hops, maxHops: hops }, random(seed))
    .take(count)
    .toArray();
}

const byHops = [1, 2, 3, 4].map(
  (hops) => [hops, [...take("train", [hops, 500]), ...take("eval", [hops, 500])]] as const,
);
const all = byHops.flatMap(([, asked]) => asked);

/** The sentence of each relation, repeated here so that the tests do not depend on the generator. */
const sentences: Readonly<Record<string, readonly [section: string, sentence: RegExp]>> = {
  "city.country": ["lead", /^.+ is a city in (.+)\.$/m],
  "city.region": ["administration", /^.+ belongs to the region (.+)\.$/m],
  "city.nearest": ["geography", /^The nearest other city is (.+)\.$/m],
  "city.population": ["population", /^.+ has ([\d,]+) inhabitants\.$/m],
  "region.country": ["lead", /^.+ is a region of (.+)\.$/m],
  "region.seat": ["administration", /^The seat of .+ is (.+)\.$/m],
  "region.largestCity": ["cities", /^The largest city of .+ is (.+)\.$/m],
  "region.secondCity": ["cities", /^The second largest city is (.+)\.$/m],
  "country.subregion": ["lead", /^.+ lies in (.+)\.$/m],
  "country.capital": ["government", /^The capital of .+ is (.+)\.$/m],
  "country.largestCity": ["cities", /^The largest city of .+ is (.+)\.$/m],
  "country.onlyNeighbour": ["geography", /^Its only neighbour is (.+)\.$/m],
  "country.largestNeighbour": ["geography", /^The largest of its neighbours by area is (.+)\.$/m],
  "country.area": ["geography", /^.+ covers ([\d,.]+) square kilometres\.$/m],
  "country.currency": ["economy", /^The currency of .+ is (.+)\.$/m],
  "country.language": ["people", /^The only official language of .+ is (.+)\.$/m],
  "country.demonym": ["people", /^A person from .+ is called (.+)\.$/m],
  "country.alpha3": ["codes", /^Its ISO 3166-1 alpha-3 code is ([A-Z]{3})\.$/m],
  "country.numericCode": ["codes", /^Its ISO 3166-1 numeric code is (\d{3})\.$/m],
  "country.callingCode": ["codes", /^Its international calling code is (\+\d+)\.$/m],
  "country.domain": ["codes", /^Its internet domain is (\..+)\.$/m],
  "currency.code": ["codes", /^Its ISO 4217 code is ([A-Z]{3})\.$/m],
  "language.code": ["codes", /^Its ISO 639-3 code is ([a-z]{3})\.$/m],
  "subregion.largestCountry": ["countries", /^The largest country of .+ by area is (.+)\.$/m],
};

const idsByTitle = new Map<string, string>();

/** The id of the article that a search for `title` finds first. */
function find(title: string): string {
  const id = idsByTitle.get(title) ?? /^\[([^\]]+)\]/.exec(searchText(book, title, 1))![1]!;
  idsByTitle.set(title, id);
  return id;
}

/** All values of `key` in the article that a search for `title` finds first. */
function lookUp(title: string, key: string): readonly string[] {
  const id = find(title);
  const [section, sentence] = sentences[key]!;
  const text = section === "lead" ? openText(book, id) : readText(book, id, section);
  return text.split("\n").flatMap((line) => sentence.exec(line)?.[1] ?? []);
}

test.each(byHops)("makes 500 different questions of %i hops in each split", (hops, asked) => {
  expect(asked).toHaveLength(1000);
  expect(new Set(asked.map((question) => question.prompt)).size).toBe(1000);
  for (const { relations, articles, ...question } of asked)
    expect([question.hops, relations.length, articles.length]).toEqual([hops, hops, hops]);
});

test("the tools' results contain exactly one value for every fourth question, its answer", () => {
  const step = Math.round(all.length / cases(all.length / 4));
  for (const { start, relations, accepted } of all.filter((_, index) => index % step === 0)) {
    let title = start;
    for (const key of relations) {
      const values = lookUp(title, key);
      expect(values).toHaveLength(1);
      title = values[0]!;
    }
    expect(isAnswer(title, accepted)).toBe(true);
  }
});

test("questions use every relation", () => {
  expect(new Set(all.flatMap((question) => question.relations))).toEqual(
    new Set(Object.keys(sentences)),
  );
});

test("questions do not mention their answer or a later article", () => {
  for (const { prompt, accepted, articles } of all) {
    for (const answer of accepted) expect(mentions(prompt, answer)).toBe(false);
    for (const id of articles.slice(1))
      expect(mentions(prompt, book.article(id)!.title)).toBe(false);
  }
});

test("the first two articles do not contain the answer of a question of three hops", () => {
  for (const { start, relations, accepted } of byHops[2]![1].slice(400, 600)) {
    const [first, second] = relations as [string, string];
    const told = (title: string, key: string): readonly string[] => {
      const kind = key.split(".")[0];
      const keys = Object.keys(sentences).filter((other) => other.startsWith(`${kind}.`));
      return keys.flatMap((other) => lookUp(title, other));
    };
    const middle = lookUp(start, first)[0]!;
    const last = lookUp(middle, second)[0]!;
    expect(told(start, first)).not.toContain(last);
    const early = [...told(start, first), ...told(middle, second), start, middle, last];
    expect(early.filter((text) => isAnswer(text, accepted))).toEqual([]);
  }
});

test("the place that a question names has a unique name in the source", () => {
  const names = Map.groupBy(readSources().cities, (city) => city.name);
  const asked = all.filter(({ relations }) => relations[0]!.startsWith("city."));
  expect(asked.length).toBeGreaterThan(1000);
  for (const { start, prompt } of asked) {
    expect(prompt).toContain(`the city of ${start}`);
    expect(names.get(start)).toHaveLength(1);
  }
});

test("populations equal those of the source", () => {
  const names = Map.groupBy(readSources().cities, (city) => city.name);
  const asked = all.filter(({ relations }) => relations.join() === "city.population");
  expect(asked.length).toBeGreaterThan(100);
  for (const { start, answer } of asked)
    expect(Number(answer.replaceAll(",", ""))).toBe(names.get(start)![0]!.population);
});

test("each answer is right for at most 1 % of the questions of a split", () => {
  for (const [, asked] of byHops)
    for (const same of Map.groupBy(asked, ({ answer }) => answer).values())
      expect(same.length / asked.length).toBeLessThan(0.015);
});

describe("splits", () => {
  test("do not share a named article, whatever the seeds", () => {
    const named = (part: Part): Set<string> =>
      new Set([1, 2, 3].flatMap((seed) => take(part, [1, 500], seed)).map(({ start }) => start));
    const held = named("eval");
    expect([...named("train")].filter((start) => held.has(start))).toEqual([]);
  });

  test("assign about a tenth of the articles to eval", () => {
    const held = book.ids.filter((id) => partOf({ id }) === "eval").length;
    expect(held / book.ids.length).toBeCloseTo(0.1, 1);
  });
});

test("the seed determines the questions", () => {
  expect(take("eval", [2, 50], 7)).toEqual(take("eval", [2, 50], 7));
  expect(take("eval", [2, 50], 7)).not.toEqual(take("eval", [2, 50], 8));
});

test("questions() ends when it runs out of new questions", () => {
  const few = {
    ...book.world,
    regions: [],
    cities: [],
    countries: book.world.countries.slice(0, 3),
  };
  const asked = [...questions(few, { part: "train", minHops: 1, maxHops: 1 }, random(0))];
  expect(asked.length).toBeGreaterThan(5);
  expect(asked.length).toBeLessThan(50);
});

test("nextStep() throws an error that names the article without the fact", () => {
  const question = { start: "Lyon", relations: ["city.region"] };
  expect(nextStep(question, [])).toEqual({ name: "search", arguments: { query: "Lyon" } });
  expect(() => nextStep(question, ["Nothing found."])).toThrow(
    "Search found no article titled Lyon",
  );
  expect(() => nextStep(question, ["[lyon] Lyon: …", "Lyon …", "Lyon is nice."])).toThrow(
    "The article lyon lacks its city.region",
  );
});
