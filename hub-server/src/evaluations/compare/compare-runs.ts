import type { Run } from "@envs/hub-client";
import { type PairedExample as Pair, type PairedRuns, pairExamples } from "@envs/records";

import type { Database } from "../../platform/database/connect.ts";
import { type ExampleResult, exampleResults } from "./example-means.ts";

/** One example in two runs. */
export type PairedExample = Pair<ExampleResult>;

/** How a run differs from the baseline on the examples that both scored. */
export interface Comparison extends PairedRuns<ExampleResult> {
  readonly run: Run;
}

/**
 * Compares runs with the first one, example by example. Differences on the same examples vary less than the means of the runs, so
 * they reveal smaller improvements.
 */
export async function compareRuns(
  database: Database,
  [baseline, ...others]: readonly Run[],
): Promise<readonly Comparison[]> {
  if (baseline === undefined) return [];
  const before = await exampleResults(database, baseline.id);
  const comparisons: Comparison[] = [];
  for (const run of others)
    comparisons.push({ run, ...pairExamples(before, await exampleResults(database, run.id)) });
  return comparisons;
}
