import type { Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { type Load, type LoadResult, runLoad } from "./load.ts";

/** The same requests for both registries. */
export interface Comparison {
  readonly name: string;
  readonly ours: Load;
  readonly theirs: Load;
  /** The minimum ratio of our requests per second to theirs that we aim at. */
  readonly aim?: number | undefined;
}

const rounds = 3;

/** Loads both registries in alternation, after an unmeasured warm-up round, and compares the best rounds. */
export async function compare({ name, ours, theirs, aim }: Comparison): Promise<Figure[]> {
  await runLoad(ours);
  await runLoad(theirs);
  const [ourResults, theirResults]: [LoadResult[], LoadResult[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ourResults.push(await runLoad(ours));
    theirResults.push(await runLoad(theirs));
  }
  const ratio = {
    value: best(ourResults).perSecond / best(theirResults).perSecond,
    median: median(
      ourResults.map(({ perSecond }, round) => perSecond / theirResults[round]!.perSecond),
    ),
  };
  return [
    {
      name: `${name}: requests of ours / of Verdaccio`,
      unit: "×",
      ...ratio,
      aim: aim === undefined ? undefined : { at: "least", value: aim },
    },
    ...loadFigures(`${name}: ours`, best(ourResults)),
    ...loadFigures(`${name}: Verdaccio`, best(theirResults)),
  ];
}

/** Formats the results of one load. */
export function loadFigures(name: string, { p50, p99, perSecond }: LoadResult): Figure[] {
  return [
    { name, value: perSecond, unit: "/s" },
    { name: `${name}, p50`, value: p50, unit: "ms" },
    { name: `${name}, p99`, value: p99, unit: "ms" },
  ];
}

function best(results: readonly LoadResult[]): LoadResult {
  return results.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
}
