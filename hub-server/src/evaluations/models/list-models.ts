import { sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { readableRuns } from "../runs/read-runs.ts";
import { hasRank } from "./ranked-runs.ts";

/** A model in the list of models. */
export interface ListedModel {
  readonly model: string;
  readonly environments: number;
  readonly runs: number;
  readonly users: number;
  /** Boards with runs of several models on which no run's interval is above one of this model. */
  readonly firsts: number;
  readonly latest: Date;
}

/** A policy is code of an environment that plays in the place of a model. */
export type ModelKind = "model" | "policy";

/** Whether a run's model is a policy, for queries that read `runs`. */
const isPolicy = sql<boolean>`starts_with(runs.model, 'policy:')`;

/** Lists the models or the policies that have been evaluated, those in most environments first, and how many there are. */
export async function listModels(
  database: Database,
  identity: Identity | undefined,
  {
    kind,
    name,
    from,
    limit,
  }: {
    readonly kind: ModelKind;
    /** A text that the name of a model contains. */
    readonly name: string;
    readonly from: number;
    readonly limit: number;
  },
): Promise<{ readonly items: readonly ListedModel[]; readonly total: number }> {
  const board = sql`partition by runs.package_id, runs.version_id, runs.config_hash, runs.sample, ${hasRank}`;
  const runs = readableRuns(database, identity)
    .where("runs.kind", "=", "evaluation")
    .select(["runs.model", "runs.package_id", "runs.owner_id", "runs.completed_at"])
    .select(sql<string>`row(runs.version_id, config_hash, sample)`.as("board"))
    // An interval that is missing overlaps every other one.
    .select(
      sql<boolean>`(${hasRank} and min(runs.model) over (${board}) <> max(runs.model) over (${board})
        and coalesce(ranked_high >= max(ranked_low) over (${board}), true))`.as("is_first"),
    );
  const rows = await database
    .selectFrom(runs.as("runs"))
    .where(isPolicy, "=", kind === "policy")
    .where(sql<boolean>`strpos(lower(model), ${name.toLowerCase()}) > 0`)
    .groupBy("model")
    .select("model")
    .select(sql<number>`count(distinct package_id)::int`.as("environments"))
    .select(sql<number>`count(*)::int`.as("runs"))
    .select(sql<number>`count(distinct owner_id)::int`.as("users"))
    .select(sql<number>`(count(distinct board) filter (where is_first))::int`.as("firsts"))
    .select(sql<Date>`max(completed_at)`.as("latest"))
    .select(sql<number>`(count(*) over ())::int`.as("total"))
    .orderBy("environments", "desc")
    .orderBy("runs", "desc")
    .orderBy("model")
    .offset(from)
    .limit(limit)
    .execute();
  return { items: rows, total: rows[0]?.total ?? 0 };
}
