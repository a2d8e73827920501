import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { checkAccountName } from "../../platform/names/account-name.ts";
import { similarityKeys, tooSimilar } from "../../platform/names/similarity.ts";

/** A user or an organisation, which share one namespace. */
export interface NewAccount {
  readonly name: string;
  readonly kind: "user" | "organisation";
  readonly now: Date;
}

/** Takes a name, and with it a scope, for a new account; a name that could be mistaken for another's is refused. */
export async function createAccount(
  database: Database,
  { name, kind, now }: NewAccount,
): Promise<number> {
  checkAccountName(name);
  const keys = [...similarityKeys(name)];
  const near = await database
    .selectFrom("accounts")
    .where((row) =>
      row.or([
        row("name", "=", name),
        sql<boolean>`${row.ref("similarity_keys")} && ${keys}::text[]`,
      ]),
    )
    .select("name")
    .execute();
  const names = near.map((account) => account.name);
  if (names.includes(name)) throw taken(name);
  const similar = tooSimilar(name, names);
  if (similar !== undefined)
    throw new HubError("name-too-similar", {
      message: `${name} could be mistaken for ${similar}, which is another's account. Choose a name that nobody confuses with it.`,
    });
  const made = await database
    .insertInto("accounts")
    .values({ name, kind, similarity_keys: keys, created_at: now })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (made === undefined) throw taken(name);
  return made.id;
}

function taken(name: string): HubError {
  return new HubError("name-taken", {
    message: `The name ${name} is taken. Choose another, or log in if it is yours.`,
  });
}
