import type { Updateable } from "kysely";

import type { AccountTables } from "../../platform/database/account-tables.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requirePassword } from "../credentials/log-in.ts";
import { checkPassword, passwordHash } from "../credentials/password.ts";
import { storeNotice } from "../mail/notice.ts";
import { requestVerification } from "../mail/verify-email.ts";
import type { Person } from "../second-factor/set-up-second-factor.ts";
import { checkEmailFree, emailAddress } from "./create-user.ts";
import { endAccess } from "./end-access.ts";

/** A user's own profile in npm's format. */
export interface Profile {
  readonly tfa: false | { readonly mode: "auth-and-writes"; readonly pending: boolean };
  readonly name: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly fullname: string;
  readonly created: string;
  readonly updated: string;
  readonly cidr_whitelist: null;
}

/** Reads a profile; throws if the user does not exist. */
export async function readProfile(database: Database, userId: number): Promise<Profile> {
  const user = await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("users.account_id", "=", userId)
    .select(["name", "email", "full_name", "totp_secret", "totp_confirmed_at"])
    .select(["created_at", "updated_at", "email_verified_at"])
    .executeTakeFirst();
  if (user === undefined) throw notFound("This user");
  return {
    tfa:
      user.totp_secret === null
        ? false
        : { mode: "auth-and-writes", pending: user.totp_confirmed_at === null },
    name: user.name,
    email: user.email ?? "",
    email_verified: user.email_verified_at !== null,
    fullname: user.full_name,
    created: user.created_at.toISOString(),
    updated: user.updated_at.toISOString(),
    cidr_whitelist: null,
  };
}

/** Changes that a user makes to their own profile. Undefined fields stay as they are. */
interface ProfileChange {
  readonly email?: string | null | undefined;
  readonly fullName?: string | null | undefined;
  readonly password?: { readonly old: string; readonly new: string } | undefined;
  readonly address: string;
}

/** Sessions and tokens that stay valid after a new password. */
interface KeptAccess {
  /** The hash of the session in which the user changes the password. */
  readonly session?: string | undefined;
  /** The id of the token with which the user changes the password, or `all`. */
  readonly token?: string | undefined;
}

/** Changes a profile. A new password ends all sessions and tokens of the user except those in `kept`. */
export async function changeProfile(
  hub: Hub,
  person: Person,
  { email, fullName, password, address, kept }: ProfileChange & { kept?: KeptAccess },
): Promise<void> {
  const set: Updateable<AccountTables["users"]> = { updated_at: hub.clock() };
  const before = await readProfile(hub.database, person.id);
  const newEmail = email === undefined ? undefined : emailAddress(email ?? "");
  const changesEmail = newEmail !== undefined && (newEmail ?? "") !== before.email;
  if (changesEmail) Object.assign(set, { email: newEmail, email_verified_at: null });
  if (fullName !== undefined) set.full_name = checkedFullName(fullName ?? "");
  if (password !== undefined) {
    checkPassword(password.new, person);
    await requirePassword(hub, person, { password: password.old, address });
    set.password_hash = await passwordHash(password.new);
  }
  await hub.database.transaction().execute(async (database) => {
    const userId = person.id;
    if (typeof set.email === "string") await checkEmailFree(database, { email: set.email, userId });
    if (changesEmail)
      await storeNotice(database, hub, {
        userId,
        subject: "Your address was changed",
        text: "The e-mail address was removed, or replaced by another one.",
      });
    await database.updateTable("users").set(set).where("account_id", "=", userId).execute();
    if (changesEmail) await requestVerification(database, hub, userId);
    if (password === undefined) return;
    await endAccess(database, { userId, now: hub.clock(), ...kept });
    await storeNotice(database, hub, { userId, ...passwordChanged });
  });
}

const passwordChanged = {
  subject: "Your password was changed",
  text: "The password was changed.",
};

function checkedFullName(text: string): string {
  const name = text.trim();
  if (name.length <= 100 && !/\p{Cc}/u.test(name)) return name;
  throw new HubError("full-name-invalid", {
    message:
      "The full name is too long or has control characters. Use at most 100 characters on one line.",
  });
}

/** Sets a password without the old one, after another proof of the user. Ends all access but that of the session. */
export async function setPassword(
  hub: Hub,
  person: Person,
  {
    password,
    session,
    guard,
  }: {
    readonly password: string;
    readonly session?: string | undefined;
    /** Throws in the transaction if the proof was used by another request. */
    readonly guard?: (database: Database) => Promise<void>;
  },
): Promise<void> {
  checkPassword(password, person);
  const hash = await passwordHash(password);
  await hub.database.transaction().execute(async (database) => {
    const now = hub.clock();
    await guard?.(database);
    await database
      .updateTable("users")
      .set({ password_hash: hash, updated_at: now })
      .where("account_id", "=", person.id)
      .execute();
    await endAccess(database, { userId: person.id, now, session });
    await storeNotice(database, hub, { userId: person.id, ...passwordChanged });
  });
}
