import type { Board, LeaderboardRow, Run } from "@envs/hub-client";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { readRuns } from "../runs/read-runs.ts";
import { type BoardChoice, boardsOf, selectBoard } from "./boards.ts";

/** A board's runs in order. */
export interface Leaderboard {
  readonly board: Board | null;
  readonly boards: readonly Board[];
  readonly rows: readonly LeaderboardRow[];
}

/** A choice of a board, and which of its runs to show. Ranks do not depend on what is shown. */
export interface LeaderboardQuery extends BoardChoice {
  readonly model?: string | undefined;
  readonly badge?: Run["badges"][number]["name"] | undefined;
}

/** Ranks the evaluations of a board. The caller must have checked read access to the package. */
export async function leaderboardOf(
  database: Database,
  { packageId, identity }: { readonly packageId: number; readonly identity: Identity | undefined },
  { model = "", badge, ...choice }: LeaderboardQuery = {},
): Promise<Leaderboard> {
  const boards = await boardsOf(database, packageId);
  const board = selectBoard(boards, choice);
  if (board === undefined) return { board: null, boards, rows: [] };
  const { version, configHash, exampleSet } = board;
  const runs = await readRuns(database, identity, {
    packageId,
    version,
    configHash,
    exampleSet,
    kind: "evaluation",
  });
  const rows = rankRuns(runs).filter(
    ({ run: { recipe, badges } }) =>
      recipe.model.toLowerCase().includes(model.toLowerCase()) &&
      (badge === undefined || badges.some(({ name }) => name === badge)),
  );
  return { board, boards, rows };
}

/**
 * Orders runs by their mean reward. The rank is 1 + the number of runs whose whole interval is above this run's interval, so
 * runs whose order may be chance share a rank. Runs without a scored rollout come last.
 */
export function rankRuns(runs: readonly Run[]): readonly LeaderboardRow[] {
  const ranked = runs
    .toSorted((a, b) => meanOf(b) - meanOf(a) || (a.pushedAt < b.pushedAt ? -1 : 1))
    .map((run) => ({
      run,
      rank: 1 + runs.filter((other) => boundsOf(other).low > boundsOf(run).high).length,
    }));
  const sizes = Map.groupBy(ranked, ({ rank }) => rank);
  return ranked.map(({ run, rank }) => ({
    rank,
    isTied: (sizes.get(rank)?.length ?? 0) > 1,
    run,
  }));
}

function meanOf({ summary }: Run): number {
  return summary.reward.mean ?? -Infinity;
}

/** The bounds of a run; without an interval, infinite ones, so that the run ties with every run. */
function boundsOf({ summary }: Run): { readonly low: number; readonly high: number } {
  if (summary.reward.mean === null) return { low: -Infinity, high: -Infinity };
  return summary.interval ?? { low: -Infinity, high: Infinity };
}
