import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isAccountName } from "../../platform/names/account-name.ts";
import { countAttempt } from "./attempts.ts";
import { isPassword } from "./password.ts";
import { rejectSuspended } from "./suspension.ts";

/** A name, a password and the client's address. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
  readonly address: string;
}

/** A user whose password was right. */
export interface PasswordLogin {
  readonly id: number;
  readonly name: string;
  readonly hasSecondFactor: boolean;
}

/**
 * Checks a name and password. An unknown user, a disabled user and a wrong password cause the same error after the same
 * work, so that a client cannot distinguish them. A suspended user with the right password learns of the suspension.
 */
export async function logIn(
  hub: Hub,
  { name, password, address }: Credentials,
): Promise<PasswordLogin> {
  const subject = isAccountName(name) ? name : "-";
  const succeed = await countAttempt(hub, { kind: "password", subject, address });
  const user = await hub.database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("accounts.name", "=", subject)
    .select(["accounts.id", "accounts.name", "users.password_hash", "users.totp_confirmed_at"])
    .select("users.disabled_at")
    .executeTakeFirst();
  const isRight = await isPassword(password, user?.password_hash ?? null);
  if (user === undefined || !isRight) throw wrongLogin();
  if (user.disabled_at !== null) {
    await rejectSuspended(hub.database, user.id);
    throw wrongLogin();
  }
  await succeed();
  return { id: user.id, name: user.name, hasSecondFactor: user.totp_confirmed_at !== null };
}

/** Requires the password of a logged-in user before a change of credentials. */
export async function requirePassword(
  hub: Hub,
  user: { readonly name: string },
  { password, address }: Omit<Credentials, "name">,
): Promise<void> {
  await logIn(hub, { name: user.name, password, address });
}

function wrongLogin(): HubError {
  return new HubError("wrong-login", {
    message: "The name or the password is wrong. Correct it, or ask an administrator of the hub.",
  });
}
