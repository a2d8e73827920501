import type { Database } from "../../platform/database/tables.ts";

/** A user, and the session or token that stays valid. */
interface EndAccess {
  readonly userId: number;
  readonly now: Date;
  /** The hash of the session to keep. */
  readonly session?: string | undefined;
  /** The id of the token to keep, or `all`. */
  readonly token?: string | undefined;
}

/** Ends a user's sessions, revokes the tokens, and drops logins that are approved but not completed. */
export async function endAccess(
  database: Database,
  { userId, now, session = "", token }: EndAccess,
): Promise<void> {
  await database
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id_hash", "!=", session)
    .execute();
  if (token === "all") return;
  await database.deleteFrom("approvals").where("user_id", "=", userId).execute();
  const tokens = database
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null);
  await (token === undefined ? tokens : tokens.where("id", "!=", token)).execute();
}
