import { randomBytes, randomUUID } from "node:crypto";

import type { EventType, Webhook } from "@envs/hub-client";
import { sql } from "kysely";

import { administers } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";

const maxWebhooks = 50;

/** Lists the webhooks of the accounts that the user administers. */
export async function webhooksOf(database: Database, identity: Identity): Promise<Webhook[]> {
  const rows = await visible(database, identity).orderBy("webhooks.created_at").execute();
  return rows.map(webhookOf);
}

/** Finds one of these webhooks; throws `not-found` otherwise. */
export async function webhook(
  database: Database,
  { identity, id }: { readonly identity: Identity; readonly id: string },
): Promise<Webhook> {
  const row = await visible(database, identity).where("webhooks.id", "=", id).executeTakeFirst();
  if (row === undefined) throw notFound(`The webhook ${id}`);
  return webhookOf(row);
}

export interface NewWebhook {
  readonly url: string;
  readonly accountId: number;
  readonly packageId: number | null;
  readonly types: readonly EventType[];
  readonly createdBy: number;
  readonly now: Date;
  /** The webhook receives only events after this sequence number. */
  readonly cursor: number;
}

/** Adds a webhook. Its secret is returned only here. */
export async function addWebhook(
  database: Database,
  { url, accountId, packageId, types, createdBy, now, cursor }: NewWebhook,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { count } = await database
    .selectFrom("webhooks")
    .where("account_id", "=", accountId)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= maxWebhooks)
    throw new HubError("too-many-webhooks", {
      message: `The account already has ${maxWebhooks} webhooks, the maximum. Delete one first.`,
    });
  const created = {
    id: randomUUID(),
    secret: `envs_whsec_${randomBytes(24).toString("base64url")}`,
  };
  await database
    .insertInto("webhooks")
    .values({
      ...created,
      account_id: accountId,
      package_id: packageId,
      url,
      types: [...types],
      cursor,
      created_by: createdBy,
      created_at: now,
      disabled_at: null,
    })
    .execute();
  return created;
}

function visible(database: Database, identity: Identity) {
  return database
    .selectFrom("webhooks")
    .innerJoin("accounts", "accounts.id", "webhooks.account_id")
    .leftJoin("packages", "packages.id", "webhooks.package_id")
    .where(administers(identity, sql`webhooks.account_id`))
    .select(["webhooks.id", "webhooks.url", "webhooks.types", "webhooks.created_at"])
    .select(["accounts.name as account", "packages.name as package"]);
}

function webhookOf(row: {
  id: string;
  url: string;
  types: EventType[];
  created_at: Date;
  account: string;
  package: string | null;
}): Webhook {
  const { id, url, types, created_at, account } = row;
  return { id, account, package: row.package, url, types, createdAt: created_at.toISOString() };
}
