import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { rankBy, type Ranked } from "../leaderboard/rank.ts";
import { boardId, type RankedRun, recentRuns, standingsOf } from "./ranked-runs.ts";

/** Of how many runs the boards and models of the home page are. */
const recent = 200;
const week = 7 * 24 * 60 * 60 * 1000;

/** A board with a new run, and its leaders. */
export interface MovedBoard {
  readonly newest: Ranked<RankedRun>;
  readonly leader: Ranked<RankedRun>;
  /** The leader a week before the newest run. Undefined if the board had no run then. */
  readonly before: RankedRun | undefined;
  readonly runs: number;
}

/** The boards with the newest runs, and the models of the newest runs. */
export interface RecentActivity {
  readonly boards: readonly MovedBoard[];
  /** The newest run of each model, without policies. */
  readonly models: readonly RankedRun[];
}

/** Reads what has changed on leaderboards. Nothing in it depends on the present time, so that pages can be cached. */
export async function recentActivity(
  database: Database,
  identity: Identity | undefined,
  limit: number,
): Promise<RecentActivity> {
  const runs = await recentRuns(database, identity, recent);
  const newest = firstBy(runs, boardId).slice(0, limit);
  const standings = await standingsOf(database, identity, newest);
  return {
    boards: newest.flatMap((run) => movedBoard(run, standings.get(boardId(run)) ?? [])),
    models: firstBy(
      runs.filter(({ model }) => !model.startsWith("policy:")),
      ({ model }) => model,
    ).slice(0, limit),
  };
}

function movedBoard(
  { id, pushedAt }: RankedRun,
  standings: readonly Ranked<RankedRun>[],
): readonly MovedBoard[] {
  const newest = standings.find(({ item }) => item.id === id);
  const [first] = standings;
  // A run that was deleted between two queries.
  if (newest === undefined || first === undefined) return [];
  const since = new Date(Date.parse(pushedAt) - week).toISOString();
  const earlier = standings.map(({ item }) => item).filter((run) => run.pushedAt < since);
  const before = rankBy(earlier, (run) => run)[0]?.item;
  return [{ newest, leader: first, before, runs: standings.length }];
}

function firstBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return [...first.values()];
}
