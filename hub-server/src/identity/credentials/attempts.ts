import { sql } from "kysely";

import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { addressGroup } from "./address-group.ts";

/** A guess at a user's password or code, a request to reset a password, the use of an invitation, or a registration. */
export type Attempt = { readonly address: string } & (
  | { readonly kind: "password" | "code" | "reset"; readonly subject: string }
  | { readonly kind: "invitation" | "registration"; readonly subject?: undefined }
);

/** Exponential backoff: after `free` attempts, the delay doubles with each attempt, up to `maxDelay` seconds. */
interface Backoff {
  readonly free: number;
  readonly maxDelay: number;
}

const countingPeriod = "24 hours";
const trustPeriod = "30 days";
const quarterHour = 900;
/** No delay. Not `now()`, since the clock of another replica may be behind. */
const noDelay = sql`'epoch'::timestamptz`;

/** Per subject and address: a user's typing errors, or guesses at one account. */
const pairBackoff: Backoff = { free: 5, maxDelay: quarterHour };
/** Per address: guesses at many accounts, or an office behind one address. */
const addressBackoff: Backoff = { free: 30, maxDelay: quarterHour };
/**
 * Per subject: distributed guesses at one account. An attacker could use this limit to lock the owner out, so it does not
 * apply at addresses where the owner has logged in before.
 */
const subjectBackoff = {
  password: { free: 50, maxDelay: 60 },
  code: { free: 10, maxDelay: 300 },
  reset: { free: 5, maxDelay: 3600 },
} as const satisfies Record<string, Backoff>;

/**
 * Counts an attempt before the secret is checked, across replicas. Throws `too-many-attempts` during a delay; such an attempt
 * does not count. Returns a function to call when the secret was right.
 */
export async function countAttempt(hub: Hub, attempt: Attempt): Promise<() => Promise<void>> {
  if (hub.settings.HUB_LIMITS === "off") return async () => {};
  const { kind, subject } = attempt;
  const address = addressGroup(attempt.address);
  const both = `${kind}:${subject}@${address}`;
  const trustKey = `known:${both}`;
  const limits = new Map<string, Backoff>([[`${kind}:@${address}`, addressBackoff]]);
  if (attempt.subject !== undefined) {
    limits.set(both, pairBackoff);
    const isTrusted = await exists(hub, trustKey);
    if (!isTrusted) limits.set(`${kind}:${attempt.subject}`, subjectBackoff[attempt.kind]);
  }
  await rejectDuringDelay(hub, [...limits.keys()]);
  await count(hub, limits);
  return async () => {
    await uncount(hub, [...limits.keys()]);
    if (subject !== undefined) await trust(hub, { both, trustKey });
  };
}

async function exists({ database, clock }: Hub, key: string): Promise<boolean> {
  const row = await database
    .selectFrom("attempts")
    .where("key", "=", key)
    .where("expires_at", ">", clock())
    .select("key")
    .executeTakeFirst();
  return row !== undefined;
}

async function rejectDuringDelay({ database, clock }: Hub, keys: readonly string[]): Promise<void> {
  const now = clock();
  const { next } = await database
    .selectFrom("attempts")
    .where("key", "in", keys)
    .where("next_at", ">", now)
    .select((row) => row.fn.max("next_at").as("next"))
    .executeTakeFirstOrThrow();
  if (next !== null) throw tooManyAttempts((next.getTime() - now.getTime()) / 1000);
}

/** Counts in one statement, so that concurrent attempts see each other, and in the order of keys, to avoid deadlocks. */
async function count({ database, clock }: Hub, limits: ReadonlyMap<string, Backoff>) {
  const now = clock();
  const sorted = [...limits].sort(([a], [b]) => (a < b ? -1 : 1));
  const keys = sorted.map(([key]) => key);
  const free = sorted.map(([, backoff]) => backoff.free);
  const maxDelay = sorted.map(([, backoff]) => backoff.maxDelay);
  const { rows } = await sql`
    with policy as (
      select * from unnest(${keys}::text[], ${free}::int[], ${maxDelay}::int[]) as policy (key, free, max_delay)
    )
    insert into attempts (key, points, next_at, expires_at)
    select key, 1, ${noDelay}, ${now}::timestamptz + ${countingPeriod}::interval from policy
    on conflict (key) do update set
      points = case when attempts.expires_at <= ${now} then 1 else attempts.points + 1 end,
      next_at = (
        select case
          when attempts.expires_at <= ${now} or attempts.points + 1 < free then ${noDelay}
          else ${now}::timestamptz
            + make_interval(secs => least(max_delay, power(2, least(attempts.points + 1 - free, 20))))
        end from policy where policy.key = attempts.key
      ),
      expires_at = excluded.expires_at
    where attempts.next_at <= ${now}
    returning key`.execute(database);
  if (rows.length < keys.length) throw tooManyAttempts(1);
}

/** Removes the attempt with the right secret from the counts, but not wrong attempts of other users at the same address. */
async function uncount({ database }: Hub, keys: readonly string[]): Promise<void> {
  await database
    .updateTable("attempts")
    .set((row) => ({
      points: sql<number>`greatest(0, ${row.ref("points")} - 1)`,
      next_at: sql<Date>`${noDelay}`,
    }))
    .where("key", "in", [...keys].sort())
    .execute();
}

async function trust(
  { database, clock }: Hub,
  { both, trustKey }: { readonly both: string; readonly trustKey: string },
): Promise<void> {
  const now = clock();
  const until = sql<Date>`${now}::timestamptz + ${trustPeriod}::interval`;
  await database.deleteFrom("attempts").where("key", "=", both).execute();
  await database
    .insertInto("attempts")
    .values({ key: trustKey, points: 0, next_at: now, expires_at: until })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ expires_at: until }))
    .execute();
}

function tooManyAttempts(seconds: number): HubError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new HubError("too-many-attempts", {
    message: `Too many failed attempts. Try again in ${wait} ${wait === 1 ? "second" : "seconds"}.`,
    headers: { "retry-after": String(wait) },
  });
}
