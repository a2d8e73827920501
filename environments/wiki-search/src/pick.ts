import type { City, Country } from "./entity.ts";
import { slug } from "./fold.ts";

/** The one item of a list of one. */
export function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** The city at `place` of a list with the largest first; nothing if another has as many inhabitants. */
export function ranked(cities: readonly City[], place: number): City | undefined {
  const city = cities[place];
  if (city === undefined || city.population === 0) return undefined;
  const { population } = city;
  return cities.filter((other) => other.population === population).length === 1 ? city : undefined;
}

/** The country with the largest area; nothing if another is as large. */
export function largestByArea(countries: readonly Country[]): Country | undefined {
  const area = Math.max(...countries.map((country) => country.area));
  return only(countries.filter((country) => country.area === area));
}

/** Whether a city is the one that another source calls `name`: both may spell it in their own way. */
export function isCalled(city: City, name: string): boolean {
  const plain = (text: string): string =>
    slug(text)
      .replace(/^saint-/, "st-")
      .replaceAll("-", "");
  return plain(city.name) === plain(name);
}
