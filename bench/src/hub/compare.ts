import type { Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { type Borne, load, type Load } from "./load.ts";

/** One request, as each registry is asked it. */
export interface Comparison {
  readonly name: string;
  readonly ours: Load;
  readonly theirs: Load;
  /** How many times more requests per second than theirs we aim at. */
  readonly aim?: number;
}

const rounds = 3;

/** Loads ours and theirs in turns, after a round that does not count, and sets the best rounds against each other. */
export async function compare({ name, ours, theirs, aim }: Comparison): Promise<Figure[]> {
  await load(ours);
  await load(theirs);
  const [we, they]: [Borne[], Borne[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    we.push(await load(ours));
    they.push(await load(theirs));
  }
  const ratio = {
    value: best(we).perSecond / best(they).perSecond,
    median: median(we.map(({ perSecond }, round) => perSecond / they[round]!.perSecond)),
  };
  return [
    {
      name: `${name}: requests of ours / of Verdaccio`,
      unit: "×",
      ...ratio,
      ...(aim !== undefined && { aim: { at: "least", value: aim } }),
    },
    ...borneFigures(`${name}: ours`, best(we)),
    ...borneFigures(`${name}: Verdaccio`, best(they)),
  ];
}

/** What a load says of one registry. */
export function borneFigures(name: string, { p50, p99, perSecond }: Borne): Figure[] {
  return [
    { name, value: perSecond, unit: "/s" },
    { name: `${name}, p50`, value: p50, unit: "ms" },
    { name: `${name}, p99`, value: p99, unit: "ms" },
  ];
}

function best(all: readonly Borne[]): Borne {
  return all.reduce((most, each) => (each.perSecond > most.perSecond ? each : most));
}
