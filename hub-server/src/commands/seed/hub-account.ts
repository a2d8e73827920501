import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { similarityKeys } from "../../platform/names/similarity.ts";

/** The account as which the hub publishes. The name is reserved and has no password, so no client can log in as it. */
const name = "hub";

/** Returns the identity of the hub's own account, and creates the account on first use. */
export async function hubIdentity(hub: Hub): Promise<Identity> {
  const userId = await change(hub, ensureAccount);
  return {
    userId,
    name,
    isAdmin: true,
    hasSecondFactor: false,
    token: {
      id: "",
      purpose: "user",
      readonly: false,
      bypassesSecondFactor: true,
      packages: null,
      scopes: null,
      permissions: null,
    },
  };
}

/** Creates an organisation for each unowned scope. Administrators can add its owners later. */
export async function ensureScopes(hub: Hub, scopes: ReadonlySet<string>): Promise<void> {
  for (const scope of scopes)
    await change(hub, async (transaction) => {
      if ((await accountId(transaction.database, scope)) === undefined)
        await insertAccount(transaction, { name: scope, kind: "organisation" });
    });
}

async function ensureAccount(transaction: Change): Promise<number> {
  const { database, now } = transaction;
  const existing = await accountId(database, name);
  if (existing !== undefined) return existing;
  const id = await insertAccount(transaction, { name, kind: "user" });
  await database
    .insertInto("users")
    .values({ account_id: id, email: null, updated_at: now })
    .execute();
  return id;
}

async function accountId(database: Database, accountName: string): Promise<number | undefined> {
  const row = await database
    .selectFrom("accounts")
    .where("name", "=", accountName)
    .select("id")
    .executeTakeFirst();
  return row?.id;
}

async function insertAccount(
  { database, event, now }: Change,
  account: { readonly name: string; readonly kind: "user" | "organisation" },
): Promise<number> {
  const { id } = await database
    .insertInto("accounts")
    .values({ ...account, similarity_keys: [...similarityKeys(account.name)], created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  event({
    type: account.kind === "user" ? "user.created" : "organisation.created",
    actor: name,
    subject: account.name,
  });
  return id;
}
