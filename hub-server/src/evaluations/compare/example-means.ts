import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";

/** The mean of a run on one example. */
export interface ExampleResult {
  readonly exampleKey: string;
  readonly exampleIndex: number;
  /** The mean reward of the scored rollouts; null if all failed. */
  readonly mean: number | null;
  readonly rollouts: number;
  readonly failed: number;
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
    ])
    .select(sql<number>`count(*)::int`.as("rollouts"))
    .select(sql<number>`count(error_code)::int`.as("failed"));
}

/** The results of a run by example, in the order of the dataset. The caller must have read the run. */
export async function exampleResults(
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
