import type { RunBadge } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database, Row } from "../../platform/database/tables.ts";
import { packageChannel } from "../../platform/hub/finish-changes.ts";
import { type Repeat, repeatsOf } from "./reproductions.ts";

type StoredBadge = "rescored" | "refuted";

/** The badges of complete runs, the weakest first. Every complete run is uploaded or declared: its rollouts are its evidence. */
export async function badgesOf(
  database: Database,
  runs: readonly {
    readonly id: string;
    readonly declaration: string | null;
    readonly seed: number | null;
    readonly rollouts: number;
    readonly contentHash: string;
    readonly completedAt: Date;
  }[],
): Promise<ReadonlyMap<string, readonly RunBadge[]>> {
  if (runs.length === 0) return new Map();
  const rows = await database
    .selectFrom("run_badges")
    .where(
      "run_id",
      "in",
      runs.map(({ id }) => id),
    )
    .selectAll()
    .execute();
  const byRun = Map.groupBy(rows, ({ run_id }) => run_id);
  const repeats = await repeatsOf(
    database,
    runs.map(({ id }) => id),
  );
  return new Map(
    runs.map(({ id, declaration, seed, rollouts, contentHash, completedAt }) => [
      id,
      [
        {
          name: declaration === null ? "uploaded" : "declared",
          createdAt: completedAt.toISOString(),
          evidence: {
            rollouts,
            sha256: contentHash,
            ...(declaration !== null && { nonce: declaration, seed }),
          },
        },
        ...storedBadge(byRun.get(id), "rescored"),
        ...reproducedBadge(repeats.get(id) ?? []),
        ...storedBadge(byRun.get(id), "refuted"),
      ],
    ]),
  );
}

function storedBadge(
  rows: readonly Row<"run_badges">[] = [],
  name: StoredBadge,
): readonly RunBadge[] {
  return rows
    .filter(({ badge }) => badge === name)
    .map(({ evidence, created_at }) => ({ name, createdAt: created_at.toISOString(), evidence }));
}

/** The badge of a run that other users have reproduced, with their names. */
function reproducedBadge(repeats: readonly Repeat[]): readonly RunBadge[] {
  const counted = repeats.filter(({ outcome }) => outcome === "reproduced");
  const last = counted.at(-1);
  if (last === undefined) return [];
  const evidence = {
    by: [...new Set(counted.map(({ owner }) => owner))],
    runs: counted.map(({ id, owner, evidence: intervals }) => ({
      run: id,
      by: owner,
      intervals,
    })),
  };
  return [{ name: "reproduced", createdAt: last.createdAt.toISOString(), evidence }];
}

/** Gives a run a badge, or replaces its evidence. */
export async function setBadge(
  database: Database,
  {
    runId,
    badge,
    evidence,
    now,
  }: {
    readonly runId: string;
    readonly badge: StoredBadge;
    readonly evidence: Readonly<Record<string, unknown>>;
    readonly now: Date;
  },
): Promise<void> {
  const values = { evidence: JSON.stringify(evidence), created_at: now };
  await database
    .insertInto("run_badges")
    .values({ run_id: runId, badge, ...values })
    .onConflict((conflict) => conflict.columns(["run_id", "badge"]).doUpdateSet(values))
    .execute();
  await notifyReplicas(database, runId);
}

/** Takes a badge from a run, when newer evidence contradicts it. */
export async function removeBadge(
  database: Database,
  { runId, badge }: { readonly runId: string; readonly badge: StoredBadge },
): Promise<void> {
  await database
    .deleteFrom("run_badges")
    .where("run_id", "=", runId)
    .where("badge", "=", badge)
    .execute();
  await notifyReplicas(database, runId);
}

/** Makes every process of the hub drop its cached pages about the run's package. */
async function notifyReplicas(database: Database, runId: string): Promise<void> {
  await sql`
    select pg_notify(${packageChannel}, packages.name)
    from runs join packages on packages.id = runs.package_id where runs.id = ${runId}`.execute(
    database,
  );
}
