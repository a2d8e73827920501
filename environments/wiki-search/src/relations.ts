import type {
  City,
  Country,
  Currency,
  Entity,
  Kind,
  Language,
  Region,
  Subregion,
} from "./entity.ts";
import { grouped } from "./number.ts";
import { isCalled, largestByArea, only, ranked } from "./pick.ts";
import type { Link, Relation } from "./relation.ts";

type Relations<Subject extends Entity> = Readonly<Record<string, Relation<Subject>>>;

const ofCity: Relations<City> = {
  country: {
    section: "lead",
    sentence: "{subject} is a city in {value}.",
    question: "Which country contains {subject}?",
    phrase: "the country that contains {subject}",
    value: (city) => city.country,
  },
  region: {
    section: "administration",
    sentence: "{subject} belongs to the region {value}.",
    question: "Which region contains {subject}?",
    phrase: "the region that contains {subject}",
    value: (city) => city.region,
  },
  nearest: {
    section: "geography",
    sentence: "The nearest other city is {value}.",
    question: "Which city is the nearest to {subject}?",
    phrase: "the city nearest to {subject}",
    value: (city) => city.nearest()?.city,
  },
  population: {
    section: "population",
    sentence: "{subject} has {value} inhabitants.",
    question: "What is the population of {subject}?",
    value: (city) => (city.population > 0 ? grouped(city.population) : undefined),
  },
};

const ofRegion: Relations<Region> = {
  country: {
    section: "lead",
    sentence: "{subject} is a region of {value}.",
    question: "Which country contains {subject}?",
    phrase: "the country that contains {subject}",
    value: (region) => region.country,
  },
  seat: {
    section: "administration",
    sentence: "The seat of {subject} is {value}.",
    question: "Which city is the seat of {subject}?",
    phrase: "the seat of {subject}",
    value: (region) => only(region.cities.filter((city) => city.isSeat)),
  },
  largestCity: {
    section: "cities",
    sentence: "The largest city of {subject} is {value}.",
    question: "Which is the largest city of {subject}?",
    phrase: "the largest city of {subject}",
    value: (region) => ranked(region.cities, 0),
  },
  secondCity: {
    section: "cities",
    sentence: "The second largest city is {value}.",
    question: "Which is the second largest city of {subject}?",
    phrase: "the second largest city of {subject}",
    value: (region) => ranked(region.cities, 1),
  },
};

const ofCountry: Relations<Country> = {
  subregion: {
    section: "lead",
    sentence: "{subject} lies in {value}.",
    question: "Which part of the world contains {subject}?",
    phrase: "the part of the world that contains {subject}",
    value: (country) => country.subregion,
  },
  capital: {
    section: "government",
    sentence: "The capital of {subject} is {value}.",
    question: "Which city is the capital of {subject}?",
    phrase: "the capital of {subject}",
    value: (country) =>
      country.capitalNames.length === 1
        ? only(
            country.cities.filter(
              (city) => city.isCapital && isCalled(city, country.capitalNames[0]!),
            ),
          )
        : undefined,
  },
  largestCity: {
    section: "cities",
    sentence: "The largest city of {subject} is {value}.",
    question: "Which is the largest city of {subject}?",
    phrase: "the largest city of {subject}",
    value: (country) => ranked(country.cities, 0),
  },
  onlyNeighbour: {
    section: "geography",
    sentence: "Its only neighbour is {value}.",
    question: "Which is the only country that shares a border with {subject}?",
    phrase: "the only country that shares a border with {subject}",
    value: (country) => only(country.neighbours),
  },
  largestNeighbour: {
    section: "geography",
    sentence: "The largest of its neighbours by area is {value}.",
    question: "Which is the largest country by area that shares a border with {subject}?",
    phrase: "the largest country by area that shares a border with {subject}",
    value: (country) =>
      country.neighbours.length > 1 ? largestByArea(country.neighbours) : undefined,
  },
  area: {
    section: "geography",
    sentence: "{subject} covers {value} square kilometres.",
    question: "What is the area, in square kilometres, of {subject}?",
    value: (country) => (country.area > 0 ? grouped(country.area) : undefined),
  },
  currency: {
    section: "economy",
    sentence: "The currency of {subject} is {value}.",
    question: "What is the currency of {subject}?",
    phrase: "the currency of {subject}",
    value: (country) => only(country.currencies),
  },
  language: {
    section: "people",
    sentence: "The only official language of {subject} is {value}.",
    question: "What is the only official language of {subject}?",
    phrase: "the only official language of {subject}",
    value: (country) => only(country.languages),
  },
  demonym: {
    section: "people",
    sentence: "A person from {subject} is called {value}.",
    question: "What is the English demonym of the people of {subject}?",
    value: (country) => only(country.demonyms),
  },
  alpha3: {
    section: "codes",
    sentence: "Its ISO 3166-1 alpha-3 code is {value}.",
    question: "What is the ISO 3166-1 alpha-3 code of {subject}?",
    value: (country) => country.alpha3,
  },
  numericCode: {
    section: "codes",
    sentence: "Its ISO 3166-1 numeric code is {value}.",
    question: "What is the ISO 3166-1 numeric code of {subject}?",
    value: (country) => country.numericCode || undefined,
  },
  callingCode: {
    section: "codes",
    sentence: "Its international calling code is {value}.",
    question: "What is the international calling code of {subject}?",
    value: (country) => only(country.callingCodes),
  },
  domain: {
    section: "codes",
    sentence: "Its internet domain is {value}.",
    question: "What is the top-level internet domain of {subject}?",
    value: (country) => only(country.domains),
  },
};

const ofCurrency: Relations<Currency> = {
  code: {
    section: "codes",
    sentence: "Its ISO 4217 code is {value}.",
    question: "What is the ISO 4217 code of {subject}?",
    value: (currency) => currency.code,
  },
};

const ofLanguage: Relations<Language> = {
  code: {
    section: "codes",
    sentence: "Its ISO 639-3 code is {value}.",
    question: "What is the ISO 639-3 code of {subject}?",
    value: (language) => language.code,
  },
};

const ofSubregion: Relations<Subregion> = {
  largestCountry: {
    section: "countries",
    sentence: "The largest country of {subject} by area is {value}.",
    question: "Which is the largest country by area of {subject}?",
    phrase: "the largest country by area of {subject}",
    value: (subregion) => largestByArea(subregion.countries),
  },
};

const relations: { readonly [K in Kind]: Relations<Extract<Entity, { kind: K }>> } = {
  city: ofCity,
  region: ofRegion,
  country: ofCountry,
  currency: ofCurrency,
  language: ofLanguage,
  subregion: ofSubregion,
};

/** The relations that have a value for `entity`, in the order of its article. */
export function links(entity: Entity): readonly Link[] {
  const table: Relations<Entity> = relations[entity.kind];
  return Object.entries(table).flatMap(([name, relation]) => {
    const value = relation.value(entity);
    return value === undefined ? [] : [{ key: `${entity.kind}.${name}`, relation, value }];
  });
}

/** The relation of a link's key. */
export function relationOf(key: string): Relation {
  const tables: Readonly<Record<string, Relations<Entity>>> = relations;
  const [kind = "", name = ""] = key.split(".");
  const relation = tables[kind]?.[name];
  if (relation === undefined) throw new RangeError(`Unknown relation "${key}".`);
  return relation;
}
