import { randomUUID } from "node:crypto";

import { sql } from "kysely";

import type { Database, Row } from "../../platform/database/tables.ts";
import { unauthorized } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isToken, newToken, secretHash, tokenPreview } from "../credentials/secret.ts";
import { storeNotice } from "../mail/notice.ts";

export type Token = Row<"tokens">;

/** The options of a new token. An omitted limit means that the token is not limited. */
export interface NewToken {
  readonly userId: number;
  readonly name: string;
  readonly description?: string;
  readonly readonly?: boolean;
  readonly bypassesSecondFactor?: boolean;
  readonly cidrWhitelist?: readonly string[];
  readonly packages?: readonly string[] | null;
  readonly scopes?: readonly string[] | null;
  readonly expiresAt?: Date | null;
  /** Set if the token is for the builds of a trusted publisher. */
  readonly trustedPublisherId?: string;
  readonly now: Date;
}

/** Creates a token. The database stores only the hash of the returned secret. */
export async function createToken(
  database: Database,
  options: NewToken,
): Promise<{ readonly secret: string; readonly token: Token }> {
  const secret = newToken();
  const token = await database
    .insertInto("tokens")
    .values({
      id: randomUUID(),
      user_id: options.userId,
      secret_hash: secretHash(secret),
      preview: tokenPreview(secret),
      name: options.name,
      description: options.description ?? "",
      purpose: options.trustedPublisherId === undefined ? "user" : "trusted-publisher",
      trusted_publisher_id: options.trustedPublisherId ?? null,
      readonly: options.readonly ?? false,
      bypass_2fa: options.bypassesSecondFactor ?? false,
      cidr_whitelist: [...(options.cidrWhitelist ?? [])],
      packages: options.packages ? [...options.packages] : null,
      scopes: options.scopes ? [...options.scopes] : null,
      created_at: options.now,
      expires_at: options.expiresAt ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { secret, token };
}

/** Creates a token that the user asked for, and notifies the user. */
export async function createUserToken(hub: Hub, options: NewToken): ReturnType<typeof createToken> {
  return await hub.database.transaction().execute(async (database) => {
    const created = await createToken(database, options);
    await storeNotice(database, hub, {
      userId: options.userId,
      subject: "A token was created",
      text: `The token “${options.name}” was created.`,
    });
    return created;
  });
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Lists a user's valid tokens, newest first, with their total number. */
export async function listTokens(
  database: Database,
  { userId, now, offset, limit }: Page & { readonly userId: number; readonly now: Date },
): Promise<{ readonly tokens: readonly Token[]; readonly total: number }> {
  const live = database
    .selectFrom("tokens")
    .where("user_id", "=", userId)
    .where("purpose", "=", "user")
    .where("revoked_at", "is", null)
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", now)]));
  const { total } = await live
    .select((row) => row.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const tokens = await live
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id")
    .offset(offset)
    .limit(limit)
    .execute();
  return { tokens, total };
}

/** A token's key: its id without hyphens, because npm redacts UUIDs. */
export function tokenKey({ id }: Pick<Token, "id">): string {
  return id.replaceAll("-", "");
}

/** Finds a user's tokens by secret, key or key prefix. */
export async function tokensByKey(
  database: Database,
  { userId, key }: { readonly userId: number; readonly key: string },
): Promise<readonly Token[]> {
  const own = database
    .selectFrom("tokens")
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .selectAll();
  if (isToken(key)) return await own.where("secret_hash", "=", secretHash(key)).execute();
  if (!/^[0-9a-f]{6,32}$/.test(key)) return [];
  return await own.where(sql<boolean>`replace(id::text, '-', '') like ${`${key}%`}`).execute();
}

/** Revokes tokens with immediate effect. */
export async function revokeTokens(
  database: Database,
  { ids, now }: { readonly ids: readonly string[]; readonly now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await database
    .updateTable("tokens")
    .set({ revoked_at: now })
    .where("id", "in", ids)
    .where("revoked_at", "is", null)
    .execute();
}

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
