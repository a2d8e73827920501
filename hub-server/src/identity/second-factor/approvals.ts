import { randomInt, randomUUID } from "node:crypto";

import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";

export type Approval = Row<"approvals">;

/** What a command line asks a person for. */
export interface NewApproval {
  readonly purpose: "login" | "otp";
  /** Of a one-time password: whose, and for which token. */
  readonly userId?: number;
  readonly tokenId?: string;
  /** Who asks, from where, for what: this is all that the person has to decide by. */
  readonly client: string;
  readonly address: string;
  readonly action: string;
  readonly now: Date;
}

/** No vowels, so no words; nothing that is taken for another. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const minutes = 5;

/** Begins to wait for a person. The code is for both to see, the secret for the command line alone. */
export async function askApproval(
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

/** What waits under a code; undefined when nothing does, or its time is over. */
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

/** A person's decision; whether it still mattered. */
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

/** What a command line polls for; undefined once it is over. */
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

/** Hands an approval out, once: of two that ask at the same moment, one hears false. */
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
