import type { RewardComparison } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";
import { notFound } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";

/** Two versions of a package. */
interface ComparedVersions {
  readonly packageId: number;
  readonly from: string;
  readonly to: string;
}

/** The maximum number of an owner's queued jobs. */
const maxQueued = 100;

/**
 * Reads the comparison of two versions' rewards. The first request queues the comparison; a request after new evaluations queues
 * it again. The caller must have checked read access to the package.
 */
export async function readRewardDiff(
  { database, clock, settings }: Pick<Hub, "database" | "clock" | "settings">,
  versions: ComparedVersions,
): Promise<RewardComparison> {
  const { from, to } = await versionIds(database, versions);
  if (settings.HUB_REPLAY_SECONDS === 0)
    return { outcome: "impossible", reason: "This hub does not replay rollouts." };
  const job = await database
    .selectFrom("replay_jobs")
    .where("from_version_id", "=", from)
    .where("to_version_id", "=", to)
    .select(["result", "finished_at"])
    .select((builder) =>
      builder
        .exists(
          builder
            .selectFrom("runs")
            .where("runs.version_id", "=", from)
            .where("runs.kind", "=", "evaluation")
            .where(sql<boolean>`runs.completed_at > replay_jobs.finished_at`),
        )
        .as("is_stale"),
    )
    .executeTakeFirst();
  if (job !== undefined && job.result === null) return { outcome: "waiting" };
  if (job?.result != null && !job.is_stale) return job.result as RewardComparison;
  const { owner_id } = await database
    .selectFrom("packages")
    .where("id", "=", versions.packageId)
    .select("owner_id")
    .executeTakeFirstOrThrow();
  const { count } = await database
    .selectFrom("replay_jobs")
    .where("state", "<>", "done")
    .where("owner_id", "=", owner_id)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= maxQueued)
    return {
      outcome: "impossible",
      reason: "Too many replays of this owner wait. Try again in a few minutes.",
    };
  const queued = { state: "queued" as const, result: null, attempts: 0, finished_at: null };
  await database
    .insertInto("replay_jobs")
    .values({
      kind: "diff",
      owner_id,
      from_version_id: from,
      to_version_id: to,
      created_at: clock(),
    })
    .onConflict((conflict) =>
      conflict.columns(["from_version_id", "to_version_id"]).doUpdateSet(queued),
    )
    .execute();
  return { outcome: "waiting" };
}

async function versionIds(database: Database, { packageId, from, to }: ComparedVersions) {
  const rows = await database
    .selectFrom("versions")
    .where("package_id", "=", packageId)
    .where("version", "in", [from, to])
    .where("unpublished_at", "is", null)
    .select(["id", "version"])
    .execute();
  const idOf = (version: string): number => {
    const row = rows.find((candidate) => candidate.version === version);
    if (row === undefined) throw notFound(`The version ${version}`);
    return row.id;
  };
  return { from: idOf(from), to: idOf(to) };
}
