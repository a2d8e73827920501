import type { City, Country, Entity } from "./entity.ts";
import { grouped } from "./number.ts";

/** A sentence that is not the answer to any question, with its section. */
export type Extra = readonly [section: string, sentence: string];

const maxListLength = 20;

/** The sentences of an article that do not come from relations. */
export function extras(entity: Entity): readonly Extra[] {
  switch (entity.kind) {
    case "city":
      return ofCity(entity);
    case "region":
      return [["cities", `Cities by size: ${list(entity.cities)}.`]];
    case "country":
      return ofCountry(entity);
    case "currency":
      return [
        ["lead", `${entity.name} is a currency.`],
        ["use", `Countries and territories that use it: ${list(entity.countries)}.`],
      ];
    case "language":
      return [
        ["lead", `${entity.name} is a language.`],
        [
          "use",
          `Countries and territories where it is an official language: ${list(entity.countries)}.`,
        ],
      ];
    case "subregion":
      return [
        ["lead", `${entity.name} is a part of the world.`],
        [
          "countries",
          `It has ${entity.countries.length} countries and territories: ${list(entity.countries)}.`,
        ],
      ];
  }
}

function ofCity(city: City): Extra[] {
  const nearest = city.nearest();
  const { latitude, longitude } = city;
  return [
    ...(nearest
      ? [["geography", `${grouped(nearest.kilometres)} kilometres lie between the two.`] as const]
      : []),
    [
      "geography",
      `${city.name} lies at ${grouped(Math.abs(latitude))}° ${latitude < 0 ? "south" : "north"} and ${grouped(Math.abs(longitude))}° ${longitude < 0 ? "west" : "east"}.`,
    ],
    ...(city.isCapital
      ? [["administration", "The government of the country sits here."] as const]
      : city.isSeat
        ? [["administration", "The administration of the region sits here."] as const]
        : []),
  ];
}

function ofCountry(country: Country): Extra[] {
  const { officialName, neighbours, currencies, languages, cities } = country;
  const standing = country.isIndependent ? "an independent country" : "a territory";
  const lines: Extra[] = [["lead", `${officialName} is ${standing}.`]];
  const add = (section: string, label: string, items: readonly Entity[]): void => {
    if (items.length > 1) lines.push([section, `${label}: ${list(items)}.`]);
  };
  add("geography", "Neighbours", neighbours);
  if (neighbours.length === 0) lines.push(["geography", "It has no land border."]);
  add("economy", "Currencies", currencies);
  add("people", "Official languages", languages);
  add("cities", "Cities by size", cities);
  return lines;
}

function list(items: readonly Entity[]): string {
  const titles = items.slice(0, maxListLength).map((item) => item.title);
  const more = items.length - titles.length;
  return titles.join("; ") + (more > 0 ? `; and ${grouped(more)} more` : "");
}
