import type { Board, DeclaredRuns, LeaderboardRow, Run } from "@envs/hub-client";
import { sql } from "kysely";
import semver from "semver";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { declaredRuns } from "../declarations/declared-runs.ts";
import { readRuns } from "../runs/read-runs.ts";
import { rankBy } from "./rank.ts";

/** A board's runs in order, and how many of the declared runs came back. */
export interface Leaderboard {
  readonly board: Board | null;
  readonly boards: readonly Board[];
  readonly rows: readonly LeaderboardRow[];
  readonly declared: readonly DeclaredRuns[];
}

/** A choice of a board, and which of its runs to show. Ranks do not depend on what is shown. */
export interface LeaderboardQuery extends BoardChoice {
  readonly model?: string | undefined;
  readonly badge?: Run["badges"][number]["name"] | undefined;
}

/** Ranks the evaluations of a board. The caller must have checked read access to the package. */
export async function leaderboardOf(
  { database, clock }: Pick<Hub, "database" | "clock">,
  { packageId, identity }: { readonly packageId: number; readonly identity: Identity | undefined },
  { model = "", badge, ...choice }: LeaderboardQuery = {},
): Promise<Leaderboard> {
  const boards = await boardsOf(database, packageId);
  const declared = await declaredRuns(database, identity, { packageId, now: clock() });
  const board = selectBoard(boards, choice);
  if (board === undefined) return { board: null, boards, rows: [], declared };
  const { version, configHash, sample } = board;
  const runs = await readRuns(database, identity, {
    packageId,
    version,
    configHash,
    sample,
    kind: "evaluation",
  });
  const unranked = runs.filter((run) => !isRanked(run));
  const rows = [
    ...rankRuns(runs.filter(isRanked)),
    ...unranked.map((run) => ({ rank: null, isTied: false, run })),
  ].filter(
    ({ run: { recipe, badges } }) =>
      recipe.model.toLowerCase().includes(model.toLowerCase()) &&
      (badge === undefined || badges.some(({ name }) => name === badge)),
  );
  return { board, boards, rows, declared };
}

/** Whether a run has a rank: it was declared, and its rescoring did not find other rewards. */
export function isRanked({ badges }: Run): boolean {
  const names = new Set(badges.map(({ name }) => name));
  return names.has("declared") && !names.has("refuted");
}

/** Ranks runs by {@link rankBy}. */
export function rankRuns(runs: readonly Run[]): readonly (LeaderboardRow & { rank: number })[] {
  const ranked = rankBy(runs, ({ summary, badges, pushedAt }) => ({
    mean: summary.reward.mean === null ? null : summary.ranked.reward,
    interval: summary.ranked.interval,
    evidence: badges.length,
    pushedAt,
  }));
  return ranked.map(({ item: run, rank, isTied }) => ({ rank, isTied, run }));
}

/**
 * The boards of a package: one for each version, config and choice of examples, because only their numbers are comparable. Sorted by
 * version, newest first, then by the number of runs. The caller must have checked read access.
 */
async function boardsOf(database: Database, packageId: number): Promise<readonly Board[]> {
  const rows = await database
    .selectFrom("runs")
    .innerJoin("versions", "versions.id", "runs.version_id")
    .where("runs.package_id", "=", packageId)
    .where("runs.state", "=", "complete")
    .where("runs.kind", "=", "evaluation")
    .where("versions.unpublished_at", "is", null)
    .groupBy(["versions.version", "config_hash", "sample"])
    .select(["versions.version", "config_hash as configHash", "sample"])
    .select(sql<Record<string, unknown>>`(array_agg(config))[1]`.as("config"))
    .select(sql<string | null>`(array_agg(split))[1]`.as("split"))
    .select(sql<string | null>`(array_agg(details->>'select'))[1]`.as("select"))
    .select(sql<number>`(max((summary->>'examples')::int))::int`.as("examples"))
    .select(sql<number>`count(*)::int`.as("runs"))
    .execute();
  return rows.toSorted(
    (a, b) =>
      semver.rcompare(a.version, b.version) ||
      b.runs - a.runs ||
      b.examples - a.examples ||
      (a.configHash + a.sample < b.configHash + b.sample ? -1 : 1),
  );
}

/** The selection of a visitor among a package's boards. */
interface BoardChoice {
  readonly version?: string | undefined;
  readonly config?: string | undefined;
  readonly examples?: string | undefined;
}

/** The first board that matches the choice. */
function selectBoard(
  boards: readonly Board[],
  { version, config, examples }: BoardChoice,
): Board | undefined {
  return boards.find(
    (board) =>
      (version === undefined || board.version === version) &&
      (config === undefined || board.configHash === config) &&
      (examples === undefined || board.sample === examples),
  );
}
