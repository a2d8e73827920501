import { randomUUID } from "node:crypto";

import { sql } from "kysely";

import type { Settings } from "../config/settings.ts";
import type { Database, Row } from "../database/tables.ts";

/** A mail to send. The hub renders it when it sends it, so that the database never contains the secret of a link. */
export type NewMail = Pick<Row<"mails">, "kind" | "recipient"> & {
  readonly userId: number;
  readonly detail?: MailDetail;
};

/** The content of a notice. */
export interface MailDetail {
  readonly subject?: string;
  readonly text?: string;
}

/** A mail that this hub has leased. */
export type LeasedMail = Pick<
  Row<"mails">,
  "id" | "kind" | "user_id" | "recipient" | "attempts" | "detail"
>;

const leaseMs = 5 * 60_000;
/** Delays double from half a minute to two hours; the last attempt is a day after the first. */
const firstDelayMs = 30_000;
const maxDelayMs = 2 * 3_600_000;
const maxAttempts = 18;

/** Stores a mail in the transaction of the change that causes it. Does nothing if the hub does not send e-mail. */
export async function storeMail(
  database: Database,
  { HUB_SMTP_URL }: Pick<Settings, "HUB_SMTP_URL">,
  { kind, recipient, userId, detail = {}, now }: NewMail & { readonly now: Date },
): Promise<void> {
  if (HUB_SMTP_URL === undefined) return;
  await database
    .insertInto("mails")
    .values({
      id: randomUUID(),
      kind,
      recipient,
      user_id: userId,
      detail: JSON.stringify(detail),
      created_at: now,
      next_at: now,
    })
    .execute();
}

/** Leases mails that are due, the oldest first. Replicas that call it at once get different mails. */
export async function leaseMails(
  database: Database,
  { limit, now }: { readonly limit: number; readonly now: Date },
): Promise<readonly LeasedMail[]> {
  const { rows } = await sql<LeasedMail>`
    update mails set attempts = attempts + 1, next_at = ${new Date(now.getTime() + leaseMs)}
    where id in (
      select id from mails where next_at <= ${now} and failed_at is null
      order by next_at, id limit ${limit} for update skip locked
    )
    returning id, kind, user_id, recipient, attempts, detail`.execute(database);
  return rows;
}

/** Removes a mail that the server has accepted. */
export async function deleteMail(database: Database, id: string): Promise<void> {
  await database.deleteFrom("mails").where("id", "=", id).execute();
}

/** Delays a mail that could not be sent, or gives it up: the server rejects it for good, or a day has passed. */
export async function postponeMail(
  database: Database,
  { id, attempts }: Pick<LeasedMail, "id" | "attempts">,
  {
    error,
    isFinal,
    now,
  }: { readonly error: string; readonly isFinal: boolean; readonly now: Date },
): Promise<{ readonly isGivenUp: boolean }> {
  const isGivenUp = isFinal || attempts >= maxAttempts;
  const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1));
  await database
    .updateTable("mails")
    .set({
      error: error.slice(0, 500),
      next_at: new Date(now.getTime() + delay),
      failed_at: isGivenUp ? now : null,
    })
    .where("id", "=", id)
    .execute();
  return { isGivenUp };
}

/** How many mails wait, and how many the hub gave up within the last month. */
export async function countMails(
  database: Database,
): Promise<{ readonly waiting: number; readonly failed: number }> {
  return await database
    .selectFrom("mails")
    .select((row) => [
      row.fn.count<number>("id").filterWhere("failed_at", "is", null).as("waiting"),
      row.fn.count<number>("id").filterWhere("failed_at", "is not", null).as("failed"),
    ])
    .executeTakeFirstOrThrow();
}
