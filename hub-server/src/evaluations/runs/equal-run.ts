import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";

/** A run of another user that has every reply of a run. */
export interface EqualRun {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
}

/**
 * Finds the first earlier run of another user, on the same board, that has all replies of a run to the same examples. Such a run
 * may be a copy under another name, or of the same deterministic policy.
 */
export async function equalRun(database: Database, runId: string): Promise<EqualRun | undefined> {
  return await database
    .selectFrom("runs as own")
    .innerJoin("runs as earlier", (join) =>
      join
        .onRef("earlier.package_id", "=", "own.package_id")
        .onRef("earlier.version_id", "=", "own.version_id")
        .onRef("earlier.config_hash", "=", "own.config_hash")
        .onRef("earlier.sample", "=", "own.sample")
        .onRef("earlier.owner_id", "<>", "own.owner_id")
        .onRef("earlier.completed_at", "<", "own.completed_at"),
    )
    .innerJoin("accounts", "accounts.id", "earlier.owner_id")
    .where("own.id", "=", runId)
    .where("own.kind", "=", "evaluation")
    .where("earlier.kind", "=", "evaluation")
    .where("earlier.state", "=", "complete")
    .where(
      sql<boolean>`exists (select from rollouts where run_id = own.id and replies is not null)`,
    )
    .where(
      sql<boolean>`not exists (
        select from rollouts as mine where mine.run_id = own.id and mine.replies is not null and not exists (
          select from rollouts as theirs
          where theirs.run_id = earlier.id and theirs.phase = '' and theirs.step = 0
            and theirs.example_key = mine.example_key and theirs.replies = mine.replies))`,
    )
    .orderBy("earlier.completed_at")
    .select(["earlier.id", "accounts.name as owner", "earlier.model"])
    .executeTakeFirst();
}
