import type { Updateable } from "kysely";

import type { AccountTables } from "../../platform/database/account-tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requirePassword } from "../credentials/log-in.ts";
import { checkPassword, passwordHash } from "../credentials/password.ts";
import type { Person } from "../second-factor/set-up-second-factor.ts";
import { checkEmailFree, emailAddress } from "./create-user.ts";
import { endAccess } from "./end-access.ts";

/** Changes that a user makes to their own profile. Undefined fields stay as they are. */
export interface ProfileChange {
  readonly email?: string | null | undefined;
  readonly fullName?: string | null | undefined;
  readonly password?: { readonly old: string; readonly new: string } | undefined;
  readonly address: string;
}

/** Sessions and tokens that stay valid after a new password. */
export interface KeptAccess {
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
  if (email !== undefined) set.email = emailAddress(email ?? "");
  if (fullName !== undefined) set.full_name = checkedFullName(fullName ?? "");
  if (password !== undefined) {
    checkPassword(password.new, person);
    await requirePassword(hub, person, { password: password.old, address });
    set.password_hash = await passwordHash(password.new);
  }
  await hub.database.transaction().execute(async (database) => {
    if (typeof set.email === "string")
      await checkEmailFree(database, { email: set.email, userId: person.id });
    await database.updateTable("users").set(set).where("account_id", "=", person.id).execute();
    if (password !== undefined)
      await endAccess(database, { userId: person.id, now: hub.clock(), ...kept });
  });
}

function checkedFullName(text: string): string {
  const name = text.trim();
  if (name.length <= 100 && !/\p{Cc}/u.test(name)) return name;
  throw new HubError("full-name-invalid", {
    message:
      "The full name is too long or has control characters. Use at most 100 characters on one line.",
  });
}
