import type { Database } from "../../platform/database/connect.ts";
import { notFound } from "../../platform/errors/hub-error.ts";

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
    .select(["created_at", "updated_at"])
    .executeTakeFirst();
  if (user === undefined) throw notFound("This user");
  return {
    tfa:
      user.totp_secret === null
        ? false
        : { mode: "auth-and-writes", pending: user.totp_confirmed_at === null },
    name: user.name,
    email: user.email ?? "",
    // The hub does not send e-mail, so it cannot verify addresses.
    email_verified: false,
    fullname: user.full_name,
    created: user.created_at.toISOString(),
    updated: user.updated_at.toISOString(),
    cidr_whitelist: null,
  };
}
