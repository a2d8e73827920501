import { limitFor } from "../identity/accounts/new-account-limit.ts";
import { lockUser } from "../identity/credentials/lock-user.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/tables.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import { change, type Hub } from "../platform/hub/hub.ts";
import { type ReportReason, requireReason, requireText } from "./reasons.ts";
import { requireTarget, type Target, type TargetName } from "./target.ts";

const day = 24 * 3_600_000;

/** A user's report. */
export interface NewReport extends TargetName {
  readonly reason: string;
  /** What a moderator should look at. */
  readonly details: string;
}

/**
 * Sends a report to the moderators. A number of reports has no effect by itself. Each user has one open report about a
 * target, and a limit per day.
 */
export async function createReport(
  hub: Hub,
  identity: Identity,
  { reason, details, ...name }: NewReport,
): Promise<Target> {
  const known: ReportReason = requireReason(reason);
  const text = requireText(details, "the reason of the report");
  return await change(hub, async ({ database, now }) => {
    const target = await requireTarget(database, identity, name);
    await requireRate(hub, database, { identity, now });
    if (target.kind === "version") throw new Error("A report is about a whole package.");
    const row = await database
      .insertInto("reports")
      .values({
        reporter_id: identity.userId,
        target_kind: target.kind,
        target_id: target.id,
        subject: target.subject,
        reason: known,
        details: text,
        created_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (row !== undefined) return target;
    throw new HubError("report-exists", {
      message: `${identity.name} has already reported ${target.subject}, and no moderator has decided yet. See /settings/decisions.`,
    });
  });
}

async function requireRate(
  { settings }: Hub,
  database: Database,
  { identity: user, now }: { readonly identity: Identity; readonly now: Date },
): Promise<void> {
  const { HUB_LIMITS, HUB_REPORTS_PER_DAY } = settings;
  if (HUB_LIMITS === "off") return;
  const { userId } = user;
  const limit = { user, max: HUB_REPORTS_PER_DAY, now };
  const { max, note } = await limitFor(database, settings, limit);
  // Concurrent reports of the same user wait here, so that they cannot exceed the limit together.
  await lockUser(database, userId);
  const { count } = await database
    .selectFrom("reports")
    .where("reporter_id", "=", userId)
    .where("created_at", ">", new Date(now.getTime() - day))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < max) return;
  throw new HubError("too-many-reports", {
    message: `Rate limit exceeded: each user may send ${max} reports per day on this hub.${note} Try again tomorrow; for something urgent, ask its operator.`,
    headers: { "retry-after": "86400" },
  });
}

/** The reports of a user, newest first. */
export async function reportsOf(database: Database, userId: number) {
  return await database
    .selectFrom("reports")
    .where("reporter_id", "=", userId)
    .orderBy("id", "desc")
    .limit(100)
    .select(["id", "target_kind", "subject", "reason", "created_at", "outcome", "decided_at"])
    .execute();
}
