import { sql } from "kysely";

import type { Identity } from "../identity/request/identity.ts";
import type { Database, Row } from "../platform/database/tables.ts";
import type { Target } from "./target.ts";

/** The targets with open reports, those with the most first. */
export async function openReports(database: Database) {
  return await database
    .selectFrom("reports")
    .where("outcome", "is", null)
    .groupBy(["target_kind", "target_id"])
    .select(["target_kind as kind"])
    .select(({ fn }) => [
      fn.max("subject").as("subject"),
      fn.countAll<number>().as("count"),
      fn.min("created_at").as("since"),
    ])
    .select(sql<string[]>`array_agg(distinct reason order by reason)`.as("reasons"))
    .orderBy("count", "desc")
    .orderBy("since")
    .limit(200)
    .execute();
}

/** The open appeals, oldest first. */
export async function openAppeals(database: Database) {
  return await database
    .selectFrom("moderation_acts")
    .where("appeal", "is not", null)
    .where("appeal_outcome", "is", null)
    .where("ended_at", "is", null)
    .orderBy("appealed_at")
    .limit(200)
    .select(["id", "kind", "target_kind", "subject", "appealed_at as since"])
    .execute();
}

/** A report, and the name of its reporter. */
export interface NamedReport extends Pick<
  Row<"reports">,
  "id" | "reason" | "details" | "outcome" | "created_at"
> {
  readonly reporter: string | null;
}

/** The reports about a target, open ones first. */
export async function reportsAbout(
  database: Database,
  { kind, id, packageId }: Target,
): Promise<readonly NamedReport[]> {
  return await database
    .selectFrom("reports")
    .leftJoin("accounts", "accounts.id", "reports.reporter_id")
    .where("target_kind", "=", kind === "version" ? "package" : kind)
    .where("target_id", "=", kind === "version" ? String(packageId) : id)
    .orderBy(sql`outcome is not null`)
    .orderBy("reports.id", "desc")
    .limit(100)
    .select(["reports.id", "accounts.name as reporter", "reason", "details", "outcome"])
    .select("reports.created_at")
    .execute();
}

/** An act, and the name of the moderator who decided. */
export interface DecidedAct extends Row<"moderation_acts"> {
  readonly moderator: string | null;
}

/** The acts about a target, newest first. */
export async function actsAbout(
  database: Database,
  { kind, id }: Target,
): Promise<readonly DecidedAct[]> {
  return await actsWithModerator(database)
    .where("target_kind", "=", kind)
    .where("target_id", "=", id)
    .execute();
}

/** The newest acts of all moderators. */
export async function recentActs(database: Database): Promise<readonly DecidedAct[]> {
  return await actsWithModerator(database).limit(50).execute();
}

function actsWithModerator(database: Database) {
  return database
    .selectFrom("moderation_acts")
    .leftJoin("accounts", "accounts.id", "moderation_acts.moderator_id")
    .orderBy("moderation_acts.created_at", "desc")
    .selectAll("moderation_acts")
    .select("accounts.name as moderator");
}

/** The acts that a user may appeal against: about the user, and about what the user's accounts own. */
export async function actsOfOwner(database: Database, { userId }: Identity) {
  return await database
    .selectFrom("moderation_acts")
    .where((row) =>
      row.or([
        row("owner_id", "=", userId),
        row(
          "owner_id",
          "in",
          row
            .selectFrom("memberships")
            .where("user_id", "=", userId)
            .where("role", "in", ["owner", "admin"])
            .select("organisation_id"),
        ),
      ]),
    )
    .orderBy("created_at", "desc")
    .limit(100)
    .selectAll()
    .execute();
}
