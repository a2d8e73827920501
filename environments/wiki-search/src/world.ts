import { buildCountries, countryNames } from "./countries.ts";
import type { City, Country, Currency, Entity, Language, Region, Subregion } from "./entity.ts";
import { nearestFinder } from "./nearest.ts";
import type { RawCity, Sources } from "./sources.ts";
import { titles } from "./titles.ts";

/** All entities with an article, linked with each other. */
export interface World {
  /** The largest first. */
  readonly cities: readonly City[];
  readonly regions: readonly Region[];
  readonly countries: readonly Country[];
  readonly currencies: readonly Currency[];
  readonly languages: readonly Language[];
  readonly subregions: readonly Subregion[];
}

const minPopulation = 15_000;
/** GeoNames codes of city districts and of abandoned and historical places, whose names often equal those of cities. */
const notCities: ReadonlySet<string> = new Set(["PPLX", "PPLQ", "PPLH", "PPLW", "PPLCH"]);
const capital = "PPLC";
const seat = "PPLA";

/** Builds all entities in the order of the sources, cities by population, so that the same data gives the same ids. */
export function buildWorld({ cities: all, countries: rawCountries, regionNames }: Sources): World {
  const raw = all
    .filter(isListed)
    .sort((a, b) => b.population - a.population || a.cityId - b.cityId);
  const regionCodes = [...new Set(raw.map(regionCode))].filter((code) => regionNames.has(code));
  const names = titles([
    ...countryNames(rawCountries),
    ...regionCodes.map((code) => regionNames.get(code)!),
    ...raw.map((city) => city.name),
  ]);
  const { countries, ...shared } = buildCountries(rawCountries, names);

  const regions = new Map<string, Region>();
  for (const code of regionCodes) {
    const country = countries.get(code.slice(0, 2));
    const title = country && names.claim(regionNames.get(code)!, `region of ${country.name}`);
    if (title) regions.set(code, { kind: "region", ...title, country, cities: [] });
  }

  const timesNamed = new Map<string, number>();
  for (const { name } of all) timesNamed.set(name, (timesNamed.get(name) ?? 0) + 1);

  const cities: City[] = [];
  const nearest = nearestFinder(cities);
  for (const source of raw) {
    const country = countries.get(source.country);
    if (!country) continue;
    const region = regions.get(regionCode(source));
    const place = region ? `${region.name}, ${country.name}` : `city in ${country.name}`;
    const title = names.claim(source.name, place);
    if (!title) continue;
    const [longitude, latitude] = source.loc.coordinates;
    const city: City = {
      kind: "city",
      ...title,
      country,
      region,
      population: source.population,
      longitude,
      latitude,
      isCapital: source.featureCode === capital,
      isSeat: source.featureCode === capital || source.featureCode === seat,
      hasUniqueName: timesNamed.get(source.name) === 1 && title.title === title.name,
      nearest: () => nearest(city),
    };
    cities.push(city);
    country.cities.push(city);
    region?.cities.push(city);
  }
  return {
    cities,
    regions: [...regions.values()].filter((region) => region.cities.length > 0),
    countries: [...countries.values()],
    ...shared,
  };
}

/** All entities of `world` in one list. */
export function entities(world: World): readonly Entity[] {
  const { countries, subregions, currencies, languages, regions, cities } = world;
  return [...countries, ...subregions, ...currencies, ...languages, ...regions, ...cities];
}

function isListed({ population, featureCode }: RawCity): boolean {
  if (notCities.has(featureCode)) return false;
  return population >= minPopulation || featureCode === capital || featureCode === seat;
}

function regionCode(city: RawCity): string {
  return `${city.country}.${city.adminCode}`;
}
