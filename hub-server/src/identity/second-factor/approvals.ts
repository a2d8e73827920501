import { randomInt, randomUUID } from "node:crypto";

import type { Database, Row } from "../../platform/database/tables.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";

export type Approval = Row<"approvals">;

/** A client's request that the user approves in a browser. */
export interface NewApproval {
  readonly purpose: "login" | "otp";
  /** The user and the token; only for the purpose `otp`. */
  readonly userId?: number;
  readonly tokenId?: string;
  /** The client, its IP address and its action, which the approval page shows. */
  readonly client: string;
  readonly address: string;
  readonly action: string;
  readonly now: Date;
}

/** Without vowels, to avoid words, and without look-alikes. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const minutes = 5;

/** Creates an approval that expires after five minutes. The browser shows the code; only the client knows the secret. */
export async function createApproval(
  database: Database,
  { purpose, userId, tokenId, client, address, action, now }: NewApproval,
): Promise<{ readonly code: string; readonly secret: string }> {
  const [code, secret] = [newCode(), newSecret()];
  await database
    .insertInto("approvals")
    .values({
      id: randomUUID(),
      purpose,
      poll_hash: secretHash(secret),
      code,
      user_id: userId ?? null,
      token_id: tokenId ?? null,
      client,
      address,
      action,
      created_at: now,
      expires_at: new Date(now.getTime() + minutes * 60_000),
    })
    .execute();
  return { code, secret };
}

/** Finds an undecided approval by its code; undefined if it does not exist or has expired. */
export async function waitingApproval(
  database: Database,
  { code, now }: { readonly code: string; readonly now: Date },
): Promise<Approval | undefined> {
  return await database
    .selectFrom("approvals")
    .where("code", "=", code.toUpperCase())
    .where("state", "=", "waiting")
    .where("expires_at", ">", now)
    .selectAll()
    .executeTakeFirst();
}

/** Stores the user's decision. Returns false if the approval was already decided. */
export async function decideApproval(
  database: Database,
  { id, state, userId }: { id: string; state: "approved" | "denied"; userId: number },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable("approvals")
    .set({ state, user_id: userId })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Finds an approval by the client's secret; undefined if it is finished or has expired. */
export async function polledApproval(
  database: Database,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<Approval | undefined> {
  return await database
    .selectFrom("approvals")
    .where("poll_hash", "=", secretHash(secret))
    .where("state", "!=", "done")
    .where("expires_at", ">", now)
    .selectAll()
    .executeTakeFirst();
}

/** Marks an approved request as finished. Of two concurrent calls, one returns false. */
export async function finishApproval(database: Database, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable("approvals")
    .set({ state: "done" })
    .where("id", "=", id)
    .where("state", "=", "approved")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function newCode(): string {
  const part = (): string =>
    Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("");
  return `${part()}-${part()}`;
}
