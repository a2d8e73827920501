import type { Profile } from "@envs/hub-client";

import type { Identity } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/connect.ts";
import { findPackages } from "../search/find-packages.ts";
import { summariesOf } from "../search/summaries.ts";

/** A user or an organisation with the packages that the identity may read. Undefined if the account does not exist. */
export async function profileOf(
  database: Database,
  { name, identity }: { readonly name: string; readonly identity: Identity | undefined },
): Promise<Profile | undefined> {
  const account = await database
    .selectFrom("accounts")
    .leftJoin("users", "users.account_id", "accounts.id")
    .where("accounts.name", "=", name)
    .select(["accounts.name", "accounts.kind", "accounts.created_at", "users.full_name"])
    .executeTakeFirst();
  if (account === undefined) return undefined;
  const { ids } = await findPackages(database, {
    identity,
    text: "",
    owners: [name],
    sort: "downloads",
    offset: 0,
    limit: 250,
  });
  return {
    name: account.name,
    kind: account.kind,
    fullName: account.full_name ?? "",
    createdAt: account.created_at.toISOString(),
    packages: await summariesOf(database, ids),
  };
}
