import type { Run } from "@envs/hub-client";

import type { Database, Row } from "../../platform/database/tables.ts";
import { badgesOf } from "./badges.ts";

type StoredRun = Row<"runs"> & {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
  readonly owner: string;
};

/** Adds the badges to the rows of complete runs. Keeps their order. */
export async function toRuns(
  database: Database,
  rows: readonly StoredRun[],
): Promise<readonly Run[]> {
  const complete = rows.flatMap((row) => {
    const { summary, completed_at: completedAt } = row;
    return summary === null || completedAt === null ? [] : [{ ...row, summary, completedAt }];
  });
  const badges = await badgesOf(
    database,
    complete.map(({ id, seed, summary, content_hash: contentHash, completedAt, ...row }) => ({
      id,
      declaration: row.declaration_id,
      seed,
      rollouts: summary.counts.total,
      contentHash,
      completedAt,
    })),
  );
  return complete.map(({ id, kind, owner, summary, completedAt, ...row }) => ({
    id,
    kind,
    owner,
    recipe: recipeOf(row),
    summary,
    badges: [...(badges.get(id) ?? [])],
    contentHash: row.content_hash,
    startedAt: row.started_at?.toISOString() ?? null,
    pushedAt: completedAt.toISOString(),
  }));
}

function recipeOf(row: Omit<StoredRun, "id" | "kind" | "owner" | "summary">): Run["recipe"] {
  return {
    package: row.package,
    version: row.version,
    integrity: row.integrity,
    config: { ...row.config },
    configHash: row.config_hash,
    exampleSet: row.example_set,
    sample: row.sample,
    declaration: row.declaration_id,
    model: row.model,
    sampling: { ...row.sampling },
    seed: row.seed,
    split: row.split,
    passThreshold: row.pass_threshold,
    driver: row.driver,
    coreVersion: row.core_version,
    price: row.price,
    details: { ...row.details },
    modelPackage: row.model_package,
  };
}
