import type { Country, Currency, Language, Subregion } from "./entity.ts";
import type { RawCountry } from "./sources.ts";
import type { Title, Titles } from "./titles.ts";

/** Countries and their currencies, languages and subregions, linked in both directions. */
export interface Countries {
  /** By ISO 3166-1 alpha-2 code. */
  readonly countries: ReadonlyMap<string, Country>;
  readonly currencies: readonly Currency[];
  readonly languages: readonly Language[];
  readonly subregions: readonly Subregion[];
}

/** All names for which {@link buildCountries} claims titles. */
export function countryNames(raw: readonly RawCountry[]): Iterable<string> {
  return [
    ...raw.map((country) => country.name.common),
    ...distinct(raw, (country) =>
      country.subregion ? [[country.subregion, country.subregion]] : [],
    ).values(),
    ...distinct(raw, currencyNames).values(),
    ...distinct(raw, (country) => Object.entries(country.languages)).values(),
  ];
}

/** Builds the entities from the source and claims their titles. */
export function buildCountries(raw: readonly RawCountry[], titles: Titles): Countries {
  const bare = new Map(raw.map((source) => [source.cca2, titles.claimBare(source.name.common)]));
  const shared = <Shared>(
    names: ReadonlyMap<string, string>,
    qualifier: (code: string) => string,
    make: (code: string, title: Title) => Shared,
  ): Map<string, Shared> =>
    new Map(
      [...names].flatMap(([code, name]) => {
        const title = titles.claim(name, qualifier(code));
        return title ? [[code, make(code, title)] as const] : [];
      }),
    );

  const subregions = shared<Subregion>(
    distinct(raw, ({ subregion }) => (subregion ? [[subregion, subregion]] : [])),
    () => "part of the world",
    (_, title) => ({ kind: "subregion", ...title, countries: [] }),
  );
  const currencies = shared<Currency>(
    distinct(raw, currencyNames),
    (code) => `currency ${code}`,
    (code, title) => ({
      kind: "currency",
      ...title,
      code,
      countries: [],
    }),
  );
  const languages = shared<Language>(
    distinct(raw, (source) => Object.entries(source.languages)),
    (code) => `language ${code}`,
    (code, title) => ({ kind: "language", ...title, code, countries: [] }),
  );

  const countries = new Map<string, Country>();
  for (const source of raw) {
    const title = bare.get(source.cca2);
    if (!title) continue;
    const country: Country = {
      kind: "country",
      ...title,
      isIndependent: source.independent === true,
      officialName: source.name.official,
      subregion: subregions.get(source.subregion),
      capitalNames: source.capital,
      neighbours: [],
      currencies: lookUp(Object.keys(source.currencies), currencies),
      languages: lookUp(Object.keys(source.languages), languages),
      area: source.area,
      demonyms: [...new Set([source.demonyms["eng"]?.m, source.demonyms["eng"]?.f])].filter(isText),
      alpha3: source.cca3,
      numericCode: source.ccn3,
      callingCodes: source.idd.suffixes.map((suffix) => source.idd.root + suffix),
      domains: source.tld,
      cities: [],
    };
    countries.set(source.cca2, country);
    for (const shares of [country.subregion, ...country.currencies, ...country.languages])
      shares?.countries.push(country);
  }
  const byAlpha3 = new Map([...countries.values()].map((country) => [country.alpha3, country]));
  for (const source of raw)
    countries.get(source.cca2)?.neighbours.push(...lookUp(source.borders, byAlpha3));
  return {
    countries,
    currencies: [...currencies.values()],
    languages: [...languages.values()],
    subregions: [...subregions.values()],
  };
}

function currencyNames(country: RawCountry): (readonly [string, string])[] {
  return Object.entries(country.currencies).map(([code, { name }]) => [code, name]);
}

/** The first name of each code. */
function distinct(
  raw: readonly RawCountry[],
  pairs: (country: RawCountry) => readonly (readonly [code: string, name: string])[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const country of raw)
    for (const [code, name] of pairs(country)) if (!names.has(code)) names.set(code, name);
  return names;
}

function lookUp<Value>(keys: readonly string[], values: ReadonlyMap<string, Value>): Value[] {
  return keys.flatMap((key) => values.get(key) ?? []);
}

function isText(value: string | undefined): value is string {
  return Boolean(value);
}
