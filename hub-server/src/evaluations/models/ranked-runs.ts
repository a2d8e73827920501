import { sql } from "kysely";

import { grants } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { rankBy, type Ranked } from "../leaderboard/rank.ts";
import { readableRuns } from "../runs/read-runs.ts";

/** The identity of a board: runs with equal values are comparable. */
export interface BoardKey {
  readonly packageId: number;
  readonly versionId: number;
  readonly configHash: string;
  readonly sample: string;
}

/** A ranked run of a board, without its summary. */
export interface RankedRun extends BoardKey {
  readonly id: string;
  readonly model: string;
  readonly owner: string;
  readonly package: string;
  readonly version: string;
  readonly mean: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly evidence: number;
  readonly pushedAt: string;
}

/** Whether a run's replay gave other rewards, for queries that read `runs`. */
export const isRefuted = sql<boolean>`exists (
  select from run_badges where run_badges.run_id = runs.id and run_badges.badge = 'refuted')`;

/** Whether a run has a rank, for queries that read `runs`. */
export const hasRank = sql<boolean>`(runs.declaration_id is not null and not ${isRefuted})`;

/** How many badges a run has besides the first one, for queries that read `runs`. */
export const evidence = sql<number>`(
  (select count(*) from run_badges where run_badges.run_id = runs.id and run_badges.badge = 'rescored')
  + (select least(count(*), 1) from reproductions where reproductions.run_id = runs.id and outcome = 'reproduced'
      and not exists (select from run_badges where run_badges.run_id = repeat_id and badge = 'refuted')
      and not exists (
        select from runs as repeats join ${grants} on grants.package_id = repeats.package_id
        where repeats.id = repeat_id and user_id = repeats.owner_id and permission in ('write', 'admin'))))::int`;

/** The evaluations that an identity may read and that have a rank. */
function rankedRuns(database: Database, identity: Identity | undefined) {
  return readableRuns(database, identity)
    .where("runs.kind", "=", "evaluation")
    .where(hasRank)
    .select(["runs.id", "runs.model", "accounts.name as owner", "packages.name as package"])
    .select(["versions.version", "runs.package_id", "runs.version_id", "config_hash", "sample"])
    .select(["ranked_reward", "ranked_low", "ranked_high", "runs.completed_at"])
    .select(evidence.as("evidence"));
}

type StoredRun = Awaited<ReturnType<ReturnType<typeof rankedRuns>["execute"]>>[number];

/** The runs that were pushed last, the newest first. */
export async function recentRuns(
  database: Database,
  identity: Identity | undefined,
  limit: number,
): Promise<readonly RankedRun[]> {
  const rows = await rankedRuns(database, identity)
    .orderBy("runs.completed_at", "desc")
    .limit(limit)
    .execute();
  return rows.map(toRankedRun);
}

/** All ranked runs of some boards, in the order of their ranks, by {@link boardId}. */
export async function standingsOf(
  database: Database,
  identity: Identity | undefined,
  boards: readonly BoardKey[],
): Promise<ReadonlyMap<string, readonly Ranked<RankedRun>[]>> {
  if (boards.length === 0) return new Map();
  const keys = boards.map(
    ({ packageId, versionId, configHash, sample }) =>
      sql`(${packageId}::bigint, ${versionId}::bigint, ${configHash}, ${sample})`,
  );
  const rows = await rankedRuns(database, identity)
    .where(
      sql<boolean>`(runs.package_id, runs.version_id, runs.config_hash, runs.sample) in (${sql.join(keys)})`,
    )
    .execute();
  const byBoard = Map.groupBy(rows.map(toRankedRun), boardId);
  return new Map(byBoard.entries().map(([id, runs]) => [id, rankBy(runs, (run) => run)]));
}

/** A text that is equal for equal boards. */
export function boardId({ packageId, versionId, configHash, sample }: BoardKey): string {
  return [packageId, versionId, configHash, sample].join(" ");
}

function toRankedRun(row: StoredRun): RankedRun {
  const { ranked_low: low, ranked_high: high } = row;
  return {
    id: row.id,
    model: row.model,
    owner: row.owner,
    package: row.package,
    version: row.version,
    packageId: row.package_id,
    versionId: row.version_id,
    configHash: row.config_hash,
    sample: row.sample,
    mean: row.ranked_reward,
    interval: low === null || high === null ? null : { low, high },
    evidence: row.evidence,
    pushedAt: row.completed_at?.toISOString() ?? "",
  };
}
