import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";

const minute = 60_000;
/** Longer than a worker sends to one webhook. If its process dies, another worker takes the lease afterwards. */
const leaseMilliseconds = minute;
const maxBackoffMilliseconds = 30 * minute;
/** A receiver that has failed for this long loses the deliveries that it missed. */
const giveUpMilliseconds = 3 * 24 * 60 * minute;

/** A webhook that this worker may send to. Other replicas do not send to it until the lease ends. */
export type Lease = Pick<Row<"webhooks">, "id" | "account_id" | "url" | "secret" | "failing_since">;

interface LeaseRequest {
  readonly now: Date;
  readonly maxLeases: number;
  /** Limit per account, including its leases in this process. */
  readonly maxLeasesPerAccount: number;
  /** The account of each lease that this process holds. */
  readonly activeAccounts: readonly number[];
}

/**
 * Leases webhooks that have a delivery due. Working receivers come before failing ones, and the longest waiting come
 * first.
 */
export async function acquireLeases(
  database: Database,
  { now, maxLeases, maxLeasesPerAccount, activeAccounts }: LeaseRequest,
): Promise<readonly Lease[]> {
  const { rows } = await sql<Lease>`
    with waiting as (
      select id, failing_since is not null as fails, coalesce(backoff_until, created_at) as since,
        (select count(*) from unnest(${[...activeAccounts]}::bigint[]) as active where active = account_id)
        + row_number() over (
          partition by account_id
          order by failing_since is not null, coalesce(backoff_until, created_at), id
        ) as position
      from webhooks
      where disabled_at is null and (backoff_until is null or backoff_until <= ${now})
      and exists (
        select from webhook_deliveries
        where webhook_id = webhooks.id and delivered_at is null and next_attempt_at <= ${now}
      )
    ), leased as materialized (
      select webhooks.id from webhooks inner join waiting on waiting.id = webhooks.id
      -- Another replica may have leased it since.
      where position <= ${maxLeasesPerAccount} and (backoff_until is null or backoff_until <= ${now})
      order by fails, since, webhooks.id
      limit ${maxLeases} for update of webhooks skip locked
    )
    update webhooks set backoff_until = ${new Date(now.getTime() + leaseMilliseconds)}
    from leased where webhooks.id = leased.id
    returning webhooks.id, account_id, url, secret, failing_since`.execute(database);
  return rows;
}

/** Ends the lease of a working receiver. Other waiting webhooks come before it now. */
export async function releaseLease(database: Database, { id }: Lease, now: Date): Promise<void> {
  await database
    .updateTable("webhooks")
    .set({ backoff_until: now, failing_since: null })
    .where("id", "=", id)
    .execute();
}

/** Ends the lease of a failing receiver. Its backoff is as long as it has failed: 1 to 30 minutes. */
export async function backOff(database: Database, lease: Lease, now: Date): Promise<void> {
  const since = lease.failing_since ?? now;
  const failingMilliseconds = now.getTime() - since.getTime();
  const backoff = Math.min(Math.max(failingMilliseconds, minute), maxBackoffMilliseconds);
  await database
    .updateTable("webhooks")
    .set({ backoff_until: new Date(now.getTime() + backoff), failing_since: since })
    .where("id", "=", lease.id)
    .execute();
  if (failingMilliseconds >= giveUpMilliseconds) await giveUpDueDeliveries(database, lease, now);
}

async function giveUpDueDeliveries(database: Database, { id }: Lease, now: Date): Promise<void> {
  await database
    .updateTable("webhook_deliveries")
    .set({ next_attempt_at: null })
    .where("webhook_id", "=", id)
    .where("delivered_at", "is", null)
    .where("next_attempt_at", "<=", now)
    .execute();
}
