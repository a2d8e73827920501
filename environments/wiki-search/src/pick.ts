import type { City, Country } from "./entity.ts";
import { slug } from "./fold.ts";

/** The item of a list with exactly one item, else `undefined`. */
export function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** The city at index `rank` of a list sorted by population, or `undefined` if another city has the same population. */
export function ranked(cities: readonly City[], rank: number): City | undefined {
  const city = cities[rank];
  if (city === undefined || city.population === 0) return undefined;
  const { population } = city;
  return cities.filter((other) => other.population === population).length === 1 ? city : undefined;
}

/** The country with the largest area, or `undefined` if two are equally large. */
export function largestByArea(countries: readonly Country[]): Country | undefined {
  const area = Math.max(...countries.map((country) => country.area));
  return only(countries.filter((country) => country.area === area));
}

/** Whether `name`, from another source, is the city's name in a different spelling (hyphens, diacritics, Saint/St). */
export function isCalled(city: City, name: string): boolean {
  const plain = (text: string): string =>
    slug(text)
      .replace(/^saint-/, "st-")
      .replaceAll("-", "");
  return plain(city.name) === plain(name);
}
