import type { Board } from "@envs/hub-client";
import { sql } from "kysely";
import semver from "semver";

import type { Database } from "../../platform/database/connect.ts";

/**
 * The boards of a package: one for each version, config and set of examples, because only their numbers are comparable. Sorted by
 * version, newest first, then by the number of runs. The caller must have checked read access.
 */
export async function boardsOf(database: Database, packageId: number): Promise<readonly Board[]> {
  const rows = await database
    .selectFrom("runs")
    .innerJoin("versions", "versions.id", "runs.version_id")
    .where("runs.package_id", "=", packageId)
    .where("runs.state", "=", "complete")
    .where("runs.kind", "=", "evaluation")
    .where("versions.unpublished_at", "is", null)
    .groupBy(["versions.version", "config_hash", "example_set"])
    .select(["versions.version", "config_hash as configHash", "example_set as exampleSet"])
    .select(sql<Record<string, unknown>>`(array_agg(config))[1]`.as("config"))
    .select(sql<number>`(max((summary->>'examples')::int))::int`.as("examples"))
    .select(sql<number>`count(*)::int`.as("runs"))
    .execute();
  return rows.toSorted(
    (a, b) =>
      semver.rcompare(a.version, b.version) ||
      b.runs - a.runs ||
      b.examples - a.examples ||
      (a.configHash + a.exampleSet < b.configHash + b.exampleSet ? -1 : 1),
  );
}

/** The selection of a visitor among a package's boards. */
export interface BoardChoice {
  readonly version?: string | undefined;
  readonly config?: string | undefined;
  readonly examples?: string | undefined;
}

/** The first board that matches the choice. */
export function selectBoard(
  boards: readonly Board[],
  { version, config, examples }: BoardChoice,
): Board | undefined {
  return boards.find(
    (board) =>
      (version === undefined || board.version === version) &&
      (config === undefined || board.configHash === config) &&
      (examples === undefined || board.exampleSet === examples),
  );
}
