import type { Run } from "@envs/hub-client";
import { type PairedExample as Pair, type PairedRuns, pairExamples } from "@envs/records";
import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";

/** The mean of a run on one example. */
export interface ExampleResult {
  readonly exampleKey: string;
  readonly exampleIndex: number;
  /** The mean reward of the scored rollouts; null if all failed. */
  readonly mean: number | null;
  readonly rollouts: number;
  readonly failed: number;
  /** The hash of the example; null for rollouts that older hubs stored. */
  readonly content: string | null;
  /** The position of the example's first rollout. */
  readonly position: number;
}

function resultsOf(database: Database, runId: string) {
  return database
    .selectFrom("rollouts")
    .where("run_id", "=", runId)
    .groupBy("example_key")
    .select("example_key as exampleKey")
    .select(({ fn }) => [
      fn.min("example_index").as("exampleIndex"),
      fn.avg<number | null>("reward").as("mean"),
      fn.min("position").as("position"),
      fn.min("example_hash").as("content"),
    ])
    .select(sql<number>`count(*)::int`.as("rollouts"))
    .select(sql<number>`count(error_code)::int`.as("failed"));
}

/** The results of a run by example, in the order of the dataset. The caller must have read the run. */
async function exampleResults(
  database: Database,
  runId: string,
): Promise<readonly ExampleResult[]> {
  return await resultsOf(database, runId).orderBy("exampleIndex").orderBy("exampleKey").execute();
}

/** The examples with the highest or the lowest mean reward. Examples whose rollouts all failed are in neither list. */
export async function extremeExamples(
  database: Database,
  runId: string,
  { order, limit }: { readonly order: "best" | "worst"; readonly limit: number },
): Promise<readonly ExampleResult[]> {
  return await resultsOf(database, runId)
    .having(({ fn }) => fn.avg("reward"), "is not", null)
    .orderBy("mean", order === "best" ? "desc" : "asc")
    .orderBy("exampleIndex")
    .limit(limit)
    .execute();
}

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
