import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { type Change, change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { similarityKeys } from "../../platform/names/similarity.ts";

/** The name under which a hub publishes by itself: reserved, without a password, so that nobody logs in as it. */
const name = "hub";

/** Who seeds: the hub itself. */
export async function seeder(hub: Hub): Promise<Identity> {
  const userId = await change(hub, (made) => account(made, "user"));
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

/** Makes an organisation of each scope that nobody has, for administrators to hand on. */
export async function ensureScopes(hub: Hub, scopes: ReadonlySet<string>): Promise<void> {
  for (const scope of scopes)
    await change(hub, async (made) => {
      if ((await accountOf(made.database, scope)) === undefined)
        await insert(made, { name: scope, kind: "organisation" });
    });
}

async function account(made: Change, kind: "user"): Promise<number> {
  const known = await accountOf(made.database, name);
  if (known !== undefined) return known;
  const id = await insert(made, { name, kind });
  await made.database
    .insertInto("users")
    .values({ account_id: id, email: null, updated_at: made.now })
    .execute();
  return id;
}

async function accountOf(database: Database, wanted: string): Promise<number | undefined> {
  const row = await database
    .selectFrom("accounts")
    .where("name", "=", wanted)
    .select("id")
    .executeTakeFirst();
  return row?.id;
}

async function insert(
  { database, event, now }: Change,
  made: { readonly name: string; readonly kind: "user" | "organisation" },
): Promise<number> {
  const { id } = await database
    .insertInto("accounts")
    .values({ ...made, similarity_keys: [...similarityKeys(made.name)], created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  event({
    type: made.kind === "user" ? "user.created" : "organisation.created",
    actor: name,
    subject: made.name,
  });
  return id;
}
