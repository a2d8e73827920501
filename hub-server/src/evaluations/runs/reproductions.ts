import { sql } from "kysely";

import { grants } from "../../access/permissions/permission-query.ts";
import { hubAccountName } from "../../identity/accounts/hub-account.ts";
import type { RepeatOutcome } from "../../platform/database/evaluation-tables.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
import { areCopies, type ReplyCounts } from "./repeated-replies.ts";

/** The minimum share of the original's scored rollouts that a repeat must have: with few rollouts, any interval overlaps. */
const minShare = 0.9;

/**
 * Records that a new run repeats another one, and whether it counts as a reproduction. It counts if another user than the first
 * one, who may not publish the package, ran the same recipe, got new replies, and the 95 % intervals of both overlap.
 */
export async function recordRepeat(
  database: Database,
  repeated: Row<"runs">,
  now: Date,
): Promise<void> {
  const { reproduces } = repeated.details;
  if (typeof reproduces !== "string") return;
  const original = await database
    .selectFrom("runs")
    .where("id", "=", reproduces)
    .where("state", "=", "complete")
    .where("kind", "=", "evaluation")
    .where("package_id", "=", repeated.package_id)
    .selectAll()
    .executeTakeFirst();
  if (original === undefined) return;
  const outcome = await outcomeOf(database, original, repeated);
  const evidence = {
    interval: original.summary?.interval ?? null,
    repeated: repeated.summary?.interval ?? null,
  };
  await database
    .insertInto("reproductions")
    .values({
      repeat_id: repeated.id,
      run_id: original.id,
      outcome,
      evidence: JSON.stringify(evidence),
      created_at: now,
    })
    .execute();
}

async function outcomeOf(
  database: Database,
  original: Row<"runs">,
  repeated: Row<"runs">,
): Promise<RepeatOutcome> {
  if (repeated.owner_id === original.owner_id) return "own";
  if (await canPublish(database, repeated)) return "package-owner";
  if (recipeKey(original) !== recipeKey(repeated)) return "other-recipe";
  if (original.declaration_id !== null && repeated.declaration_id === null) return "not-declared";
  // The user of a run that was not declared may have searched for lucky examples.
  if (repeated.declaration_id === null && repeated.example_set !== original.example_set)
    return "other-recipe";
  const [before, after] = [original.summary, repeated.summary];
  if ((after?.counts.scored ?? 0) < minShare * (before?.counts.scored ?? Infinity))
    return "fewer-rollouts";
  // The hub sampled the replies itself, so equal ones are those of a deterministic model.
  if (!(await isHub(database, repeated)) && (await isCopy(database, original, repeated)))
    return "same-replies";
  const [first, second] = [before?.interval, after?.interval];
  if (first == null || second == null) return "disagrees";
  return first.low > second.high || second.low > first.high ? "disagrees" : "reproduced";
}

async function isHub(database: Database, { owner_id: owner }: Row<"runs">): Promise<boolean> {
  const { name } = await database
    .selectFrom("accounts")
    .where("id", "=", owner)
    .select("name")
    .executeTakeFirstOrThrow();
  return name === hubAccountName;
}

async function canPublish(
  database: Database,
  { package_id: packageId, owner_id: owner }: Row<"runs">,
): Promise<boolean> {
  const { rows } = await sql`
    select from ${grants}
    where package_id = ${packageId} and user_id = ${owner} and permission in ('write', 'admin')
    limit 1`.execute(database);
  return rows.length > 0;
}

function recipeKey(run: Row<"runs">): string {
  const { version_id: version, config_hash: config, sample: examples, model, sampling } = run;
  const { maxTurns, maxTotalTokens } = run.details;
  return JSON.stringify([version, config, examples, model, sampling, maxTurns, maxTotalTokens]);
}

/** Compares the replies of a repeat with those of the first run, and of the other runs that repeat it. */
async function isCopy(
  database: Database,
  { id }: Row<"runs">,
  repeated: Row<"runs">,
): Promise<boolean> {
  const repeats = await database
    .selectFrom("reproductions")
    .where("run_id", "=", id)
    .select("repeat_id")
    .execute();
  const replies = await repliesOf(database, repeated.id);
  for (const earlier of [id, ...repeats.map(({ repeat_id }) => repeat_id)])
    if (areCopies(replies, await repliesOf(database, earlier))) return true;
  return false;
}

async function repliesOf(database: Database, runId: string): Promise<ReplyCounts> {
  const rows = await database
    .selectFrom("rollouts")
    .where("run_id", "=", runId)
    .where("reward", "is not", null)
    .where("replies", "is not", null)
    .groupBy(["example_key", "replies"])
    .select(["example_key", "replies"])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .execute();
  const byExample = Map.groupBy(rows, ({ example_key: key }) => key);
  return new Map(
    byExample
      .entries()
      .map(([key, each]) => [
        key,
        new Map(each.map(({ replies, count }) => [replies ?? "", count])),
      ]),
  );
}

/** A run that repeats another one. */
export interface Repeat {
  readonly id: string;
  readonly owner: string;
  readonly outcome: RepeatOutcome | "refuted";
  readonly createdAt: Date;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/**
 * Reads the repeats of runs, the oldest first. A repeat whose scores the hub refuted does not count, nor one whose user has
 * obtained the right to publish the package.
 */
export async function repeatsOf(
  database: Database,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Repeat[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await database
    .selectFrom("reproductions")
    .innerJoin("runs", "runs.id", "reproductions.repeat_id")
    .innerJoin("accounts", "accounts.id", "runs.owner_id")
    .leftJoin("replay_jobs", "replay_jobs.run_id", "runs.id")
    .where("reproductions.run_id", "in", [...runIds])
    .orderBy("reproductions.created_at")
    .select(["reproductions.run_id", "runs.id", "accounts.name", "outcome", "evidence"])
    .select("reproductions.created_at")
    .select(
      sql<boolean>`exists (
        select from ${grants}
        where package_id = runs.package_id and user_id = runs.owner_id and permission in ('write', 'admin')
      )`.as("may_publish"),
    )
    .select(sql<boolean>`replay_jobs.result ->> 'outcome' = 'different'`.as("is_refuted"))
    .execute();
  return Map.groupBy(
    rows.map((row) => ({
      run: row.run_id,
      id: row.id,
      owner: row.name,
      outcome: row.is_refuted
        ? ("refuted" as const)
        : row.may_publish && row.outcome === "reproduced"
          ? ("package-owner" as const)
          : row.outcome,
      createdAt: row.created_at,
      evidence: row.evidence,
    })),
    ({ run }) => run,
  );
}
