import type { Database } from "../../platform/database/connect.ts";
import { unauthorized } from "../../platform/errors/hub-error.ts";
import { createToken } from "./tokens.ts";

/** The lifetime of a login. */
const days = 90;

/** Creates the token that a login returns. */
export async function loginToken(
  database: Database,
  { userId, client, now }: { readonly userId: number; readonly client: string; readonly now: Date },
): Promise<string> {
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .where("disabled_at", "is", null)
    .select("account_id")
    .executeTakeFirst();
  if (user === undefined)
    throw unauthorized("This account is disabled. Ask an administrator of the hub.");
  const { secret } = await createToken(database, {
    userId,
    name: `Login of ${client}`,
    expiresAt: new Date(now.getTime() + days * 86_400_000),
    now,
  });
  return secret;
}
