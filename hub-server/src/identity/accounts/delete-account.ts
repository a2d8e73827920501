import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { storeNotice } from "../mail/notice.ts";
import type { Person } from "../second-factor/set-up-second-factor.ts";
import { lockUser, requireAnAdministrator } from "./change-user.ts";

/** Tables whose rows belong to the user alone. Tokens take the one-time passes with them. */
const ownTables = [
  "approvals",
  "identities",
  "mail_links",
  "memberships",
  "package_users",
  "passkeys",
  "recovery_codes",
  "sessions",
  "stars",
  "team_members",
  "tokens",
] as const;

/**
 * Deletes an account at once: credentials, address, full name, memberships and stars. The name stays reserved, and packages and runs
 * stay under it, because others depend on them. Throws for the hub's last administrator and the last owner of an organisation.
 */
export async function deleteAccount(hub: Hub, { id, name }: Person): Promise<void> {
  await change(hub, async ({ database, now, event }) => {
    await lockUser(database, name);
    const { is_admin } = await database
      .selectFrom("users")
      .where("account_id", "=", id)
      .select("is_admin")
      .executeTakeFirstOrThrow();
    await rejectLastOwner(database, id);
    await storeNotice(database, hub, {
      userId: id,
      subject: "Your account was deleted",
      text: "The account was deleted. Its name stays reserved, and its packages and runs stay.",
    });
    await database
      .updateTable("users")
      .set({
        email: null,
        email_verified_at: null,
        full_name: "",
        password_hash: null,
        totp_secret: null,
        totp_confirmed_at: null,
        is_admin: false,
        is_moderator: false,
        disabled_at: now,
        deleted_at: now,
        updated_at: now,
      })
      .where("account_id", "=", id)
      .execute();
    if (is_admin) await requireAnAdministrator(database);
    for (const table of ownTables)
      await database.deleteFrom(table).where("user_id", "=", id).execute();
    await database
      .deleteFrom("invitations")
      .where("invited_by", "=", id)
      .where("used_at", "is", null)
      .execute();
    event({ type: "user.deleted", actor: name, subject: name, organisationId: id });
  });
}

/** Locks the owners of the user's organisations, so that of two owners who leave at once, one stays. */
async function rejectLastOwner(database: Database, userId: number): Promise<void> {
  const owners = await database
    .selectFrom("memberships")
    .innerJoin("accounts", "accounts.id", "memberships.organisation_id")
    .where("role", "=", "owner")
    .where("organisation_id", "in", (query) =>
      query
        .selectFrom("memberships as own")
        .where("own.user_id", "=", userId)
        .where("own.role", "=", "owner")
        .select("own.organisation_id"),
    )
    .select(["accounts.name", "memberships.user_id"])
    .orderBy("accounts.name")
    .forUpdate("memberships")
    .execute();
  const kept = new Set(owners.filter((owner) => owner.user_id !== userId).map(({ name }) => name));
  const alone = [...new Set(owners.map(({ name }) => name))].filter((name) => !kept.has(name));
  if (alone.length === 0) return;
  throw new HubError("last-owner", {
    message: `You are the last owner of ${alone.join(", ")}. First add another owner: npm org set ${alone[0] ?? ""} <user> owner`,
  });
}
