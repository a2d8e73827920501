import type { User } from "@envs/hub-client";

import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError, notFound } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { isAccountName } from "../../platform/names/account-name.ts";
import { endAccess } from "./end-access.ts";

/** Changes that an administrator makes to a user. Undefined fields stay as they are. */
export interface UserChange {
  readonly isDisabled?: boolean | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isModerator?: boolean | undefined;
  /** `false` removes the second factor of a user who lost it and the recovery codes. */
  readonly hasSecondFactor?: false | undefined;
}

/** A user with the fields that administrators see. */
export interface ManagedUser extends Omit<User, "createdAt"> {
  readonly createdAt: Date;
}

/**
 * Changes a user, whose event log states it. Disabling ends all sessions and revokes all tokens; enabling does not restore
 * them.
 */
export async function changeUser(
  hub: Hub,
  { name, actor, ...fields }: UserChange & { readonly name: string; readonly actor: string },
): Promise<ManagedUser> {
  const { isDisabled, isAdmin, isModerator, hasSecondFactor } = fields;
  return await change(hub, async ({ database: transaction, now, event }) => {
    const id = await lockAdministrators(transaction, name);
    if (isDisabled === false) await rejectSuspended(transaction, name, id);
    await transaction
      .updateTable("users")
      .set({
        updated_at: now,
        ...(isAdmin !== undefined && { is_admin: isAdmin }),
        ...(isModerator !== undefined && { is_moderator: isModerator }),
        ...(isDisabled !== undefined && { disabled_at: isDisabled ? now : null }),
        ...(hasSecondFactor === false && {
          totp_secret: null,
          totp_confirmed_at: null,
          totp_last_step: null,
        }),
      })
      .where("account_id", "=", id)
      .execute();
    if (isDisabled === true) await endAccess(transaction, { userId: id, now });
    if (hasSecondFactor === false)
      await transaction.deleteFrom("recovery_codes").where("user_id", "=", id).execute();
    await requireAnAdministrator(transaction);
    event({
      type: "user.changed",
      actor,
      subject: name,
      detail: { ...fields },
      organisationId: id,
    });
    return await managedUser(transaction, id);
  });
}

/** Returns the id of a user. Locks all administrators first, so that of two who disable each other concurrently, one stays. */
export async function lockAdministrators(database: Database, name: string): Promise<number> {
  await database
    .selectFrom("users")
    .where("is_admin", "=", true)
    .select("account_id")
    .orderBy("account_id")
    .forUpdate()
    .execute();
  const user = isAccountName(name)
    ? await database
        .selectFrom("accounts")
        .innerJoin("users", "users.account_id", "accounts.id")
        .where("name", "=", name)
        .where("deleted_at", "is", null)
        .select("id")
        .executeTakeFirst()
    : undefined;
  if (user === undefined) throw notFound(`The user ${name}`);
  return user.id;
}

/** A moderator must end a suspension, so that its reason, its log and an appeal agree with the account. */
async function rejectSuspended(database: Database, name: string, id: number): Promise<void> {
  const act = await database
    .selectFrom("moderation_acts")
    .where("target_kind", "=", "user")
    .where("target_id", "=", String(id))
    .where("ended_at", "is", null)
    .select("id")
    .executeTakeFirst();
  if (act === undefined) return;
  throw forbidden(
    `Moderators have suspended ${name}. End the suspension: /moderation/target?kind=user&name=${name}`,
  );
}

/** Throws if the hub has no administrator in this transaction; `except` is a user who leaves. */
export async function requireAnAdministrator(
  database: Database,
  { except }: { readonly except?: number } = {},
): Promise<void> {
  const administrator = await database
    .selectFrom("users")
    .where("is_admin", "=", true)
    .where("disabled_at", "is", null)
    .where("delete_at", "is", null)
    .$if(except !== undefined, (query) => query.where("account_id", "!=", except!))
    .select("account_id")
    .limit(1)
    .executeTakeFirst();
  if (administrator !== undefined) return;
  throw new HubError("last-administrator", {
    message: "This user is the hub's last administrator. Make another user an administrator first.",
  });
}

/** Reads a user with the fields that administrators see; throws if the name is not that of a user. */
export async function readManagedUser(database: Database, name: string): Promise<ManagedUser> {
  const user = await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("name", "=", name)
    .select("account_id")
    .executeTakeFirst();
  if (user === undefined) throw notFound(`The user ${name.slice(0, 100)}`);
  return await managedUser(database, user.account_id);
}

async function managedUser(database: Database, id: number): Promise<ManagedUser> {
  const user = await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("account_id", "=", id)
    .select(["name", "full_name", "email", "is_admin", "disabled_at", "totp_confirmed_at"])
    .select(["is_moderator", "created_at"])
    .executeTakeFirstOrThrow();
  return {
    name: user.name,
    fullName: user.full_name,
    email: user.email,
    isAdmin: user.is_admin,
    isModerator: user.is_moderator,
    isDisabled: user.disabled_at !== null,
    hasSecondFactor: user.totp_confirmed_at !== null,
    createdAt: user.created_at,
  };
}
