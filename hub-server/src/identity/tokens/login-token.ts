import type { Database } from "../../platform/database/connect.ts";
import { unauthorized } from "../../platform/errors/hub-error.ts";
import { createToken } from "./tokens.ts";

/** A command line that is left alone has to log in again some day. */
const days = 90;

/** The token that a login is answered with. */
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
  if (user === undefined) throw unauthorized("This account is closed. Ask an administrator.");
  const { secret } = await createToken(database, {
    userId,
    name: `Login of ${client}`,
    expiresAt: new Date(now.getTime() + days * 86_400_000),
    now,
  });
  return secret;
}
