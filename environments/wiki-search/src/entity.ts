/** The fields of every entity. */
interface Named {
  /** The id of its article. */
  readonly id: string;
  readonly name: string;
  /** The name, with a qualifier in brackets if other articles share the name. */
  readonly title: string;
}

export interface City extends Named {
  readonly kind: "city";
  readonly country: Country;
  readonly region: Region | undefined;
  /** 0 if the source has no figure. */
  readonly population: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly isCapital: boolean;
  readonly isSeat: boolean;
  /** The name is unique in the source, including places that the encyclopedia does not list. */
  readonly hasUniqueName: boolean;
  /** The nearest other city, or `undefined` if two are equally near. */
  readonly nearest: () => Neighbour | undefined;
}

/** A city and how far away it is. */
export interface Neighbour {
  readonly city: City;
  readonly kilometres: number;
}

export interface Region extends Named {
  readonly kind: "region";
  readonly country: Country;
  /** The largest first. */
  readonly cities: City[];
}

export interface Country extends Named {
  readonly kind: "country";
  readonly isIndependent: boolean;
  readonly officialName: string;
  readonly subregion: Subregion | undefined;
  readonly capitalNames: readonly string[];
  readonly neighbours: Country[];
  readonly currencies: readonly Currency[];
  readonly languages: readonly Language[];
  readonly area: number;
  readonly demonyms: readonly string[];
  readonly alpha3: string;
  readonly numericCode: string;
  readonly callingCodes: readonly string[];
  readonly domains: readonly string[];
  /** The largest first. */
  readonly cities: City[];
}

export interface Currency extends Named {
  readonly kind: "currency";
  readonly code: string;
  readonly countries: Country[];
}

export interface Language extends Named {
  readonly kind: "language";
  readonly code: string;
  readonly countries: Country[];
}

export interface Subregion extends Named {
  readonly kind: "subregion";
  readonly countries: Country[];
}

/** A subject with an article. */
export type Entity = City | Region | Country | Currency | Language | Subregion;
export type Kind = Entity["kind"];
