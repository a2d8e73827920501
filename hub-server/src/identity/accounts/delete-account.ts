import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { storeNotice } from "../mail/notice.ts";
import { lockAdministrators, requireAnAdministrator } from "./change-user.ts";
import { endAccess } from "./end-access.ts";

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

/** What goes with an account, and who decides. */
interface Deletion {
  /** The administrator who deletes the account of another user at once. */
  readonly administrator?: string;
  readonly deletesRuns?: boolean;
}

/**
 * Requests the deletion of an account: ends its sessions and revokes its tokens at once. The next sign-in within
 * HUB_DELETION_DAYS keeps it. Throws for the hub's last administrator and the last owner of an organisation.
 */
export async function requestDeletion(
  hub: Hub,
  name: string,
  { deletesRuns }: Required<Pick<Deletion, "deletesRuns">>,
): Promise<Date> {
  const { HUB_DELETION_DAYS: days } = hub.settings;
  return await change(hub, async ({ database, now }) => {
    const id = await lockAdministrators(database, name);
    await rejectLastOwner(database, id);
    await rejectLastAdministrator(database, id);
    const date = new Date(now.getTime() + days * 24 * 3_600_000);
    await database
      .updateTable("users")
      .set({ delete_at: date, deletes_runs: deletesRuns })
      .where("account_id", "=", id)
      .execute();
    await endAccess(database, { userId: id, now });
    if (days > 0)
      await storeNotice(database, hub, {
        userId: id,
        subject: "Your account will be deleted",
        text: `The account will be deleted on ${date.toISOString().slice(0, 10)}${deletesRuns ? " with its runs" : ""}. Sign in before then to keep it.`,
      });
    return date;
  });
}

/**
 * Deletes an account that is due, or any account for an administrator: credentials, address, full name, memberships and
 * stars. The name stays reserved, and packages stay under it, because others depend on them. Does nothing if the user has
 * signed in meanwhile. Throws for the hub's last administrator and the last owner of an organisation.
 */
export async function deleteAccount(
  hub: Hub,
  name: string,
  { administrator, deletesRuns }: Deletion = {},
): Promise<void> {
  await change(hub, async ({ database, now, event }) => {
    const id = await lockAdministrators(database, name);
    const { delete_at } = await database
      .selectFrom("users")
      .where("account_id", "=", id)
      .select("delete_at")
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (administrator === undefined && (delete_at === null || delete_at > now)) return;
    await rejectLastOwner(database, id);
    await rejectLastAdministrator(database, id);
    await storeNotice(database, hub, {
      userId: id,
      subject: "Your account was deleted",
      text: "The account was deleted. Its name stays reserved, and its packages stay.",
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
        delete_at: null,
        updated_at: now,
        ...(deletesRuns !== undefined && { deletes_runs: deletesRuns }),
      })
      .where("account_id", "=", id)
      .execute();
    for (const table of ownTables)
      await database.deleteFrom(table).where("user_id", "=", id).execute();
    await database
      .deleteFrom("invitations")
      .where("invited_by", "=", id)
      .where("used_at", "is", null)
      .execute();
    const actor = administrator ?? name;
    event({ type: "user.deleted", actor, subject: name, organisationId: id });
  });
}

async function rejectLastAdministrator(database: Database, id: number): Promise<void> {
  const { is_admin } = await database
    .selectFrom("users")
    .where("account_id", "=", id)
    .select("is_admin")
    .executeTakeFirstOrThrow();
  if (is_admin) await requireAnAdministrator(database, { except: id });
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
    message: `The user is the last owner of ${alone.join(", ")}. First add another owner: npm org set ${alone[0] ?? ""} <user> owner`,
  });
}
