import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { checkAccountName } from "../../platform/names/account-name.ts";
import { similarityKeys, tooSimilar } from "../../platform/names/similarity.ts";
import { hubAccountName } from "./hub-account.ts";

/** A new user or organisation. Both share one namespace. */
export interface NewAccount {
  readonly name: string;
  readonly kind: "user" | "organisation";
  readonly now: Date;
  /** Default: false. Whether the name may be similar to another one, as administrators may decide. */
  readonly mayBeSimilar?: boolean;
}

/** Reserves a name, and with it a package scope. Throws if the name exists or is too similar to another one. */
export async function createAccount(
  database: Database,
  { name, kind, now, mayBeSimilar = false }: NewAccount,
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
  if (names.includes(name)) throw nameTaken(name);
  // No user may look like the hub, which reproduces runs.
  const similar = tooSimilar(name, [...names, hubAccountName]);
  if (similar !== undefined && !mayBeSimilar)
    throw new HubError("name-too-similar", {
      message: `The name ${name} is too similar to the account ${similar}. Choose a different name, or ask an administrator of this hub to create the organisation and to make you its owner.`,
    });
  await rejectUpstreamScope(database, name);
  const account = await database
    .insertInto("accounts")
    .values({ name, kind, similarity_keys: keys, created_at: now })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (account === undefined) throw nameTaken(name);
  return account.id;
}

/** An account would own the scope, so users would no longer get the packages of the upstream that they have installed. */
async function rejectUpstreamScope(database: Database, name: string): Promise<void> {
  const cached = await database
    .selectFrom("upstream_packages")
    .where("document", "is not", null)
    .where(sql<boolean>`starts_with(name, ${`@${name}/`})`)
    .select(["name", "origin"])
    .executeTakeFirst();
  if (cached === undefined) return;
  throw new HubError("account-name-reserved", {
    message: `The name ${name} is the scope of ${cached.name}, which this hub serves from ${cached.origin}. Choose another name.`,
  });
}

function nameTaken(name: string): HubError {
  return new HubError("name-taken", {
    message: `An account named ${name} exists. Choose another name, or log in if the account is yours.`,
  });
}
