import { sql } from "kysely";

import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { addressGroup } from "./address-group.ts";

/** Somebody tries a secret of somebody's, or a link, or takes a name. */
export type Attempt = { readonly address: string } & (
  | { readonly kind: "password" | "code"; readonly subject: string }
  | { readonly kind: "invitation" | "registration"; readonly subject?: undefined }
);

/** After `free` attempts each waits twice as long as the one before, up to `longest` seconds. */
interface Patience {
  readonly free: number;
  readonly longest: number;
}

const remembered = "24 hours";
const known = "30 days";
const quarterHour = 900;
/** The next attempt need not wait: not even for the clock of the one before, which may have come a moment later. */
const atOnce = sql`'epoch'::timestamptz`;

/** Someone's own typing errors, and someone's who guesses at one account. */
const ofBoth: Patience = { free: 5, longest: quarterHour };
/** Someone who guesses at many accounts; or an office behind one address. */
const ofAddress: Patience = { free: 30, longest: quarterHour };
/**
 * Many who guess at one account. A stranger can keep these counted, so where the account's owner has been right before,
 * they do not hold.
 */
const ofSubject = {
  password: { free: 50, longest: 60 },
  code: { free: 10, longest: 300 },
} as const satisfies Record<string, Patience>;

/**
 * Counts an attempt before it is made, across replicas, and refuses it when it comes too soon; a refused one does not
 * count. Call what it returns when the secret was right.
 */
export async function countAttempt(hub: Hub, attempt: Attempt): Promise<() => Promise<void>> {
  if (hub.settings.HUB_LIMITS === "off") return async () => {};
  const { kind, subject } = attempt;
  const address = addressGroup(attempt.address);
  const both = `${kind}:${subject}@${address}`;
  const knownHere = `known:${both}`;
  const limits = new Map<string, Patience>([[`${kind}:@${address}`, ofAddress]]);
  if (attempt.subject !== undefined) {
    limits.set(both, ofBoth);
    const isKnown = await isRemembered(hub, knownHere);
    if (!isKnown) limits.set(`${kind}:${attempt.subject}`, ofSubject[attempt.kind]);
  }
  await refuseEarly(hub, [...limits.keys()]);
  await count(hub, limits);
  return async () => {
    await forgive(hub, [...limits.keys()]);
    if (subject !== undefined) await remember(hub, { both, knownHere });
  };
}

async function isRemembered({ database, clock }: Hub, key: string): Promise<boolean> {
  const row = await database
    .selectFrom("attempts")
    .where("key", "=", key)
    .where("expires_at", ">", clock())
    .select("key")
    .executeTakeFirst();
  return row !== undefined;
}

async function refuseEarly({ database, clock }: Hub, keys: readonly string[]): Promise<void> {
  const now = clock();
  const { next } = await database
    .selectFrom("attempts")
    .where("key", "in", keys)
    .where("next_at", ">", now)
    .select((row) => row.fn.max("next_at").as("next"))
    .executeTakeFirstOrThrow();
  if (next !== null) throw tooEarly((next.getTime() - now.getTime()) / 1000);
}

/** One statement, so that attempts made at the same moment see each other; keys in order, so that they do not meet crosswise. */
async function count({ database, clock }: Hub, limits: ReadonlyMap<string, Patience>) {
  const now = clock();
  const sorted = [...limits].sort(([a], [b]) => (a < b ? -1 : 1));
  const keys = sorted.map(([key]) => key);
  const free = sorted.map(([, patience]) => patience.free);
  const longest = sorted.map(([, patience]) => patience.longest);
  const { rows } = await sql`
    with policy as (
      select * from unnest(${keys}::text[], ${free}::int[], ${longest}::int[]) as policy (key, free, longest)
    )
    insert into attempts (key, points, next_at, expires_at)
    select key, 1, ${atOnce}, ${now}::timestamptz + ${remembered}::interval from policy
    on conflict (key) do update set
      points = case when attempts.expires_at <= ${now} then 1 else attempts.points + 1 end,
      next_at = (
        select case
          when attempts.expires_at <= ${now} or attempts.points + 1 < free then ${atOnce}
          else ${now}::timestamptz
            + make_interval(secs => least(longest, power(2, least(attempts.points + 1 - free, 20))))
        end from policy where policy.key = attempts.key
      ),
      expires_at = excluded.expires_at
    where attempts.next_at <= ${now}
    returning key`.execute(database);
  if (rows.length < keys.length) throw tooEarly(1);
}

/** A right secret takes its own attempt back, but not the wrong ones of others at the same address. */
async function forgive({ database }: Hub, keys: readonly string[]): Promise<void> {
  await database
    .updateTable("attempts")
    .set((row) => ({
      points: sql<number>`greatest(0, ${row.ref("points")} - 1)`,
      next_at: sql<Date>`${atOnce}`,
    }))
    .where("key", "in", [...keys].sort())
    .execute();
}

async function remember(
  { database, clock }: Hub,
  { both, knownHere }: { readonly both: string; readonly knownHere: string },
): Promise<void> {
  const now = clock();
  const until = sql<Date>`${now}::timestamptz + ${known}::interval`;
  await database.deleteFrom("attempts").where("key", "=", both).execute();
  await database
    .insertInto("attempts")
    .values({ key: knownHere, points: 0, next_at: now, expires_at: until })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ expires_at: until }))
    .execute();
}

function tooEarly(seconds: number): HubError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new HubError("too-many-attempts", {
    message: `Too many wrong attempts. Try again in ${wait === 1 ? "a second" : `${wait} seconds`}.`,
    headers: { "retry-after": String(wait) },
  });
}
