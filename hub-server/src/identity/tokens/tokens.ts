import { randomUUID } from "node:crypto";

import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { isToken, newToken, secretHash, tokenPreview } from "../credentials/secret.ts";

export type Token = Row<"tokens">;

/** What a new token is for; all that is not said is not restricted. */
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
  /** For whose builds the token is, if it is not for its user. */
  readonly trustedPublisherId?: string;
  readonly now: Date;
}

/** Makes a token. Its secret is in the answer, and nowhere else. */
export async function createToken(
  database: Database,
  given: NewToken,
): Promise<{ readonly secret: string; readonly token: Token }> {
  const secret = newToken();
  const token = await database
    .insertInto("tokens")
    .values({
      id: randomUUID(),
      user_id: given.userId,
      secret_hash: secretHash(secret),
      preview: tokenPreview(secret),
      name: given.name,
      description: given.description ?? "",
      purpose: given.trustedPublisherId === undefined ? "user" : "trusted-publisher",
      trusted_publisher_id: given.trustedPublisherId ?? null,
      readonly: given.readonly ?? false,
      bypass_2fa: given.bypassesSecondFactor ?? false,
      cidr_whitelist: [...(given.cidrWhitelist ?? [])],
      packages: given.packages ? [...given.packages] : null,
      scopes: given.scopes ? [...given.scopes] : null,
      created_at: given.now,
      expires_at: given.expiresAt ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { secret, token };
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** A user's tokens that still work, newest first, and how many there are. */
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

/** What a token is called in lists. npm hides whatever looks like a UUID. */
export function tokenKey({ id }: Pick<Token, "id">): string {
  return id.replaceAll("-", "");
}

/** A user's tokens that a key means: a token itself, its key, or the beginning of its key. */
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

/** Ends tokens: the next request with one is refused. */
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
