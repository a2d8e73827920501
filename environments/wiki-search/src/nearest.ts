import { around, distance } from "geokdbush";
import KDBush from "kdbush";

import type { City, Neighbour } from "./entity.ts";

/** Returns a function that finds the nearest other city, or `undefined` if two are equally near to the metre. */
export function nearestFinder(cities: readonly City[]): (city: City) => Neighbour | undefined {
  let index: KDBush | undefined;
  return (city) => {
    index ??= buildIndex(cities);
    const others = around(
      index,
      city.longitude,
      city.latitude,
      2,
      undefined,
      (at) => cities[at] !== city,
    );
    const [first, second] = others.map((at) => {
      const other = cities[at]!;
      const far = distance(city.longitude, city.latitude, other.longitude, other.latitude);
      return { city: other, kilometres: Math.round(far * 1000) / 1000 };
    });
    return first?.kilometres === second?.kilometres ? undefined : first;
  };
}

function buildIndex(cities: readonly City[]): KDBush {
  const index = new KDBush(cities.length);
  for (const { longitude, latitude } of cities) index.add(longitude, latitude);
  return index.finish();
}
