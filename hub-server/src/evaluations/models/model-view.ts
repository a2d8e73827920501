import type { DeclaredRuns, Run } from "@envs/hub-client";
import { sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { declaredRuns } from "../declarations/declared-runs.ts";
import type { Ranked } from "../leaderboard/rank.ts";
import { readableRuns, readRuns } from "../runs/read-runs.ts";
import {
  boardId,
  type BoardKey,
  evidence,
  hasRank,
  isRefuted,
  type RankedRun,
  standingsOf,
} from "./ranked-runs.ts";

/** The boards that a page of a model shows; a model rarely has more. */
const maxBoards = 200;
const maxRivals = 20;

/** A model's best run on a board. */
export interface ModelBoard {
  readonly run: Run;
  /** Undefined for a run without a rank. */
  readonly rank: Ranked<RankedRun> | undefined;
  /** All ranked runs of the board, in order. */
  readonly standings: readonly Ranked<RankedRun>[];
  /** How many runs of the model the board has, and how many of them the hub refuted. */
  readonly runs: number;
  readonly refuted: number;
}

/** Another model on the same boards. */
export interface Rival {
  readonly model: string;
  /** Boards on which this model's interval is above the rival's, overlaps it, or is below it. */
  readonly above: number;
  readonly tied: number;
  readonly below: number;
  /** A run of this model and one of the rival, on a board that both have. */
  readonly pair: readonly [string, string];
}

/** What the hub knows about a model across environments. */
export interface ModelView {
  readonly boards: readonly ModelBoard[];
  readonly rivals: readonly Rival[];
  readonly declared: readonly DeclaredRuns[];
}

/**
 * Reads a model's run on each board: of the newest version that it has played, a ranked one before others, then the one with
 * the strongest evidence, then the newest.
 */
export async function modelView(
  { database, clock }: Pick<Hub, "database" | "clock">,
  identity: Identity | undefined,
  model: string,
): Promise<ModelView> {
  const chosen = await chosenRuns(database, identity, model);
  const runs = await readRuns(database, identity, { ids: chosen.map(({ id }) => id) });
  const standings = await standingsOf(database, identity, chosen);
  const boards = chosen.flatMap(({ id, runs: count, refuted, ...key }) => {
    const run = runs.find((each) => each.id === id);
    if (run === undefined) return [];
    const board = standings.get(boardId(key)) ?? [];
    const rank = board.find(({ item }) => item.id === id);
    return { run, rank, standings: board, runs: count, refuted };
  });
  return {
    boards: boards.toSorted((a, b) => (a.run.recipe.package < b.run.recipe.package ? -1 : 1)),
    rivals: rivalsOf(model, boards),
    declared: await declaredRuns(database, identity, { model, now: clock() }),
  };
}

async function chosenRuns(
  database: Database,
  identity: Identity | undefined,
  model: string,
): Promise<readonly (BoardKey & { id: string; runs: number; refuted: number })[]> {
  const board = sql`partition by runs.package_id, runs.config_hash, runs.sample`;
  return await readableRuns(database, identity)
    .where("runs.kind", "=", "evaluation")
    .where("runs.model", "=", model)
    .distinctOn(["runs.package_id", "runs.config_hash", "runs.sample"])
    .orderBy("runs.package_id")
    .orderBy("runs.config_hash")
    .orderBy("runs.sample")
    .orderBy(hasRank, "desc")
    .orderBy("runs.version_id", "desc")
    .orderBy(evidence, "desc")
    .orderBy("runs.completed_at", "desc")
    .limit(maxBoards)
    .select(["runs.id", "runs.package_id as packageId", "runs.version_id as versionId"])
    .select(["runs.config_hash as configHash", "runs.sample"])
    .select(sql<number>`(count(*) over (${board}))::int`.as("runs"))
    .select(sql<number>`(count(*) filter (where ${isRefuted}) over (${board}))::int`.as("refuted"))
    .execute();
}

/** Compares a model with the others on its boards, those with most shared boards first. Each has its first run of a board. */
function rivalsOf(model: string, boards: readonly ModelBoard[]): readonly Rival[] {
  const rivals = new Map<string, Rival>();
  for (const { rank, standings } of boards) {
    if (rank === undefined) continue;
    const seen = new Set([model]);
    for (const { item: other } of standings) {
      if (seen.has(other.model)) continue;
      seen.add(other.model);
      const { above, tied, below, pair } = rivals.get(other.model) ?? {
        above: 0,
        tied: 0,
        below: 0,
        pair: [rank.item.id, other.id] as const,
      };
      const order = orderOf(rank.item, other);
      rivals.set(other.model, {
        model: other.model,
        above: above + Number(order > 0),
        tied: tied + Number(order === 0),
        below: below + Number(order < 0),
        pair,
      });
    }
  }
  const shared = ({ above, tied, below }: Rival): number => above + tied + below;
  return [...rivals.values()]
    .toSorted((a, b) => shared(b) - shared(a) || (a.model < b.model ? -1 : 1))
    .slice(0, maxRivals);
}

/** Above 0 if the first interval is above the second one, below 0 if it is below, 0 if they overlap or one is missing. */
function orderOf(a: RankedRun, b: RankedRun): number {
  if (a.interval === null || b.interval === null) return 0;
  return Number(a.interval.low > b.interval.high) - Number(b.interval.low > a.interval.high);
}
