import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isAccountName } from "../../platform/names/account-name.ts";
import { countAttempt } from "./attempts.ts";
import { isPassword } from "./password.ts";

/** A name and a password, and where they come from. */
export interface Credentials {
  readonly name: string;
  readonly password: string;
  readonly address: string;
}

/** Somebody who knows an account's password. */
export interface LoggedIn {
  readonly id: number;
  readonly name: string;
  readonly hasSecondFactor: boolean;
}

/**
 * The user whose name and password these are. Who does not exist, is closed, or has another password is answered with the
 * same words after the same work.
 */
export async function logIn(hub: Hub, { name, password, address }: Credentials): Promise<LoggedIn> {
  const subject = isAccountName(name) ? name : "-";
  const wasRight = await countAttempt(hub, { kind: "password", subject, address });
  const user = await hub.database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("accounts.name", "=", subject)
    .where("users.disabled_at", "is", null)
    .select(["accounts.id", "accounts.name", "users.password_hash", "users.totp_confirmed_at"])
    .executeTakeFirst();
  const isRight = await isPassword(password, user?.password_hash ?? null);
  if (user === undefined || !isRight) throw wrongLogin();
  await wasRight();
  return { id: user.id, name: user.name, hasSecondFactor: user.totp_confirmed_at !== null };
}

/** Asks for the password of somebody who is known already, before they change what keeps others out. */
export async function requirePassword(
  hub: Hub,
  user: { readonly name: string },
  { password, address }: Omit<Credentials, "name">,
): Promise<void> {
  await logIn(hub, { name: user.name, password, address });
}

function wrongLogin(): HubError {
  return new HubError("wrong-login", {
    message: "The name or the password is wrong. Correct it, or ask an administrator.",
  });
}
