import { sql } from "kysely";

import type { Database } from "../database/connect.ts";
import type { Row } from "../database/tables.ts";

const minute = 60_000;
/** Longer than a turn lasts. Should this process die, another one sends after it. */
const leaseMilliseconds = minute;
const longestRest = 30 * minute;
/** A receiver that was away for so long is not sent what it missed. */
const patience = 3 * 24 * 60 * minute;

/** A webhook whose turn it is: until the turn ends, no other replica sends to it. */
export type Turn = Pick<Row<"webhooks">, "id" | "account_id" | "url" | "secret" | "failing_since">;

interface Room {
  readonly now: Date;
  readonly most: number;
  /** At one moment, of one account. */
  readonly mostOfAccount: number;
  /** The accounts whose turns are under way in this process, one entry for each turn. */
  readonly busy: readonly number[];
}

/**
 * Takes webhooks for which something is due: those that work before those that fail, and those that waited longest first.
 */
export async function takeTurns(
  database: Database,
  { now, most, mostOfAccount, busy }: Room,
): Promise<readonly Turn[]> {
  const { rows } = await sql<Turn>`
    with waiting as (
      select id, failing_since is not null as fails, coalesce(rests_until, created_at) as since,
        (select count(*) from unnest(${[...busy]}::bigint[]) as busy where busy = account_id)
        + row_number() over (
          partition by account_id
          order by failing_since is not null, coalesce(rests_until, created_at), id
        ) as place
      from webhooks
      where disabled_at is null and (rests_until is null or rests_until <= ${now})
      and exists (
        select from webhook_deliveries
        where webhook_id = webhooks.id and delivered_at is null and next_attempt_at <= ${now}
      )
    ), taken as materialized (
      select webhooks.id from webhooks inner join waiting on waiting.id = webhooks.id
      -- Another replica may have taken it since.
      where place <= ${mostOfAccount} and (rests_until is null or rests_until <= ${now})
      order by fails, since, webhooks.id
      limit ${most} for update of webhooks skip locked
    )
    update webhooks set rests_until = ${new Date(now.getTime() + leaseMilliseconds)}
    from taken where webhooks.id = taken.id
    returning webhooks.id, account_id, url, secret, failing_since`.execute(database);
  return rows;
}

/** Ends the turn of a receiver that answered: the others that wait come before it now. */
export async function endTurn(database: Database, { id }: Turn, now: Date): Promise<void> {
  await database
    .updateTable("webhooks")
    .set({ rests_until: now, failing_since: null })
    .where("id", "=", id)
    .execute();
}

/** Ends the turn of one that is away: it rests as long as it has been away, from a minute to half an hour. */
export async function rest(database: Database, turn: Turn, now: Date): Promise<void> {
  const since = turn.failing_since ?? now;
  const away = now.getTime() - since.getTime();
  const pause = Math.min(Math.max(away, minute), longestRest);
  await database
    .updateTable("webhooks")
    .set({ rests_until: new Date(now.getTime() + pause), failing_since: since })
    .where("id", "=", turn.id)
    .execute();
  if (away >= patience) await giveUpDue(database, turn, now);
}

async function giveUpDue(database: Database, { id }: Turn, now: Date): Promise<void> {
  await database
    .updateTable("webhook_deliveries")
    .set({ next_attempt_at: null })
    .where("webhook_id", "=", id)
    .where("delivered_at", "is", null)
    .where("next_attempt_at", "<=", now)
    .execute();
}
