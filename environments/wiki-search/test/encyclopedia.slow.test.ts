import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { encyclopedia } from "../src/encyclopedia.ts";
import { slug } from "../src/fold.ts";
import { readSources } from "../src/sources.ts";
import { openText, readText, searchText } from "../src/tool-texts.ts";
import { buildWorld, entities } from "../src/world.ts";

const book = encyclopedia();
const { cities, countries, regions } = book.world;
const anyId = fc.constantFrom(...book.ids);

describe("the world", () => {
  test("has at least 20,000 articles, most of them cities", () => {
    expect(book.ids.length).toBeGreaterThanOrEqual(20_000);
    expect(cities.length).toBeGreaterThanOrEqual(20_000);
    expect(regions.length).toBeGreaterThan(3000);
    expect(countries).toHaveLength(250);
  });

  test("gives every article a unique id, which is the slug of its title", () => {
    const all = entities(book.world);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.filter(({ id, title }) => id !== slug(title))).toEqual([]);
  });

  test("is the same when it is built again", () => {
    const again = buildWorld(readSources());
    expect(entities(again).map(({ id }) => id)).toEqual(book.ids);
    expect(again.cities.map((city) => city.population)).toEqual(
      cities.map((city) => city.population),
    );
  });

  test("finds the nearest city, as a linear search does", () => {
    const toRadians = Math.PI / 180;
    type Place = (typeof cities)[number];
    const distance = (a: Place, b: Place): number => {
      const [p, q] = [a.latitude * toRadians, b.latitude * toRadians];
      const h =
        Math.sin((p - q) / 2) ** 2 +
        Math.cos(p) * Math.cos(q) * Math.sin(((a.longitude - b.longitude) * toRadians) / 2) ** 2;
      return 2 * 6371 * Math.asin(Math.sqrt(h));
    };
    for (let at = 0; at < cities.length; at += 499) {
      const city = cities[at]!;
      const nearest = city.nearest()!;
      const least = Math.min(...cities.filter((c) => c !== city).map((c) => distance(city, c)));
      expect(distance(city, nearest.city)).toBeCloseTo(least, 6);
      expect(nearest.kilometres).toBeCloseTo(least, 2);
    }
  });
});

describe("articles", () => {
  test("contain the facts of the sources", () => {
    expect(readText(book, "lyon", "population")).toBe("Lyon has 472,317 inhabitants.");
    expect(readText(book, "chad", "codes")).toContain("Its ISO 3166-1 alpha-3 code is TCD.");
    expect(readText(book, "auvergne-rhone-alpes", "administration")).toBe(
      "The seat of Auvergne-Rhône-Alpes is Lyon.",
    );
    expect(openText(book, "lyon")).toBe(
      "Lyon\n\nLyon is a city in France.\n\nSections: administration, geography, population",
    );
  });

  test("have a lead and at least one section, all with text", () => {
    // One assertion for each of 100,000 texts would take seconds.
    const faulty = book.ids.filter((id) => {
      const { lead, sections } = book.article(id)!;
      const texts = [...sections.values()];
      return lead === "" || texts.length === 0 || texts.some((text) => !/^[^{}]+\.$/s.test(text));
    });
    expect(faulty).toEqual([]);
  });
});

describe("search", () => {
  test("ranks an article first when the query is its title", () => {
    const some = book.ids.filter((_, place) => place % 40 === 0);
    const missed = some.filter((id) => book.search(book.article(id)!.title, 5)[0]?.id !== id);
    expect(missed).toEqual([]);
  });

  test("finds articles by a title without diacritics and in lower case", () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const query = slug(book.article(id)!.title).replaceAll("-", " ");
        expect(book.search(query, 5).map((article) => article.id)).toContain(id);
      }),
    );
  });

  test("finds the subject of a question", () => {
    const first = (query: string): string | undefined => book.search(query, 1)[0]?.id;
    expect(first("capital of Chad")).toBe("chad");
    expect(first("What is the population of the city of Lyon?")).toBe("lyon");
    expect(first("Springfield Illinois")).toBe("springfield-illinois-united-states");
    expect(first("country with the internet domain td")).toBe("chad");
  });

  test("finds a misspelled name", () => {
    expect(book.search("Lyonn", 5).map((article) => article.id)).toContain("lyon");
  });

  test("returns at most limit distinct results, a line each", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (query, limit) => {
        const hits = book.search(query, limit).map((article) => article.id);
        expect(hits.length).toBeLessThanOrEqual(limit);
        expect(new Set(hits).size).toBe(hits.length);
        expect(searchText(book, query, limit).split("\n")).toHaveLength(Math.max(hits.length, 1));
      }),
    );
  });

  test("suggests another query when nothing matches", () => {
    expect(searchText(book, "§§§", 5)).toBe(
      'Nothing found for "§§§". Try fewer words, or the name of a place alone.',
    );
  });
});

describe("tools", () => {
  test("answer an unknown id with similar ids", () => {
    expect(openText(book, "lyonn")).toMatch(
      /^There is no article with the id "lyonn"\. Similar ids: lyon, .*Take ids from the results of search\.$/,
    );
    expect(readText(book, "lyonn", "population")).toBe(openText(book, "lyonn"));
  });

  test("answer an unknown section with the section names", () => {
    expect(readText(book, "lyon", "history")).toBe(
      'Lyon has no section "history". Its sections: administration, geography, population.',
    );
  });

  test("ignore case and space in a section name", () => {
    expect(readText(book, "lyon", " Population ")).toBe(readText(book, "lyon", "population"));
  });

  test("return text for any input and never throw", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), anyId, (text, section, id) => {
        for (const text_ of [
          searchText(book, text, 5),
          openText(book, text),
          readText(book, text, section),
          readText(book, id, section),
        ])
          expect(text_.length).toBeGreaterThan(10);
      }),
    );
  });
});
