import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Rejects a login of a suspended user, who has proved who they are. The link in the message lets the user appeal. */
export async function rejectSuspended(database: Database, userId: number): Promise<void> {
  const act = await database
    .selectFrom("moderation_acts")
    .where("target_kind", "=", "user")
    .where("target_id", "=", String(userId))
    .where("ended_at", "is", null)
    .select(["id", "reason", "until"])
    .executeTakeFirst();
  if (act === undefined) return;
  const end = act.until === null ? "" : ` until ${act.until.toISOString().slice(0, 16)} UTC`;
  throw new HubError("account-suspended", {
    message: `Moderators of this hub have suspended this account${end} (reason: ${act.reason}). Read why, and appeal, on the page ${appealPath(act.id)} of this hub. Keep the address to yourself.`,
    details: { appeal: appealPath(act.id) },
  });
}

/** The error of a login of a closed account, whose user has proved who they are. */
export function accountClosed(): HubError {
  return new HubError("forbidden", {
    message: "This account is closed. Ask an administrator of the hub.",
  });
}

/** The path of the page on which a suspended user appeals. Each client that knows it may appeal, so only the user receives it. */
export function appealPath(actId: string): string {
  return `/appeal/${actId}`;
}
