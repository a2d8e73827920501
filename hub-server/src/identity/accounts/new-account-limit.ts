import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/tables.ts";

/** A rate limit of a user. */
export interface UserLimit {
  readonly max: number;
  /** Explains a lower limit, and when it rises; empty for the full limit. */
  readonly note: string;
}

const day = 24 * 3_600_000;
/** The share of a limit that a new account has. */
const newShare = 0.1;

/**
 * The limit of a user: a tenth for a new account if everyone can register, because spammers register for each wave. Users of
 * other hubs were invited, and administrators have the full limit.
 */
export async function limitFor(
  database: Database,
  { HUB_REGISTRATION, HUB_NEW_ACCOUNT_DAYS }: Settings,
  {
    user: { userId, isAdmin },
    max,
    now,
  }: {
    readonly user: { readonly userId: number; readonly isAdmin: boolean };
    readonly max: number;
    readonly now: Date;
  },
): Promise<UserLimit> {
  if (HUB_REGISTRATION !== "open" || HUB_NEW_ACCOUNT_DAYS === 0 || isAdmin)
    return { max, note: "" };
  const { created_at } = await database
    .selectFrom("accounts")
    .where("id", "=", userId)
    .select("created_at")
    .executeTakeFirstOrThrow();
  const end = new Date(created_at.getTime() + HUB_NEW_ACCOUNT_DAYS * day);
  if (end <= now) return { max, note: "" };
  return {
    max: Math.max(1, Math.floor(max * newShare)),
    note: ` The account is new: its limit rises to ${max} on ${end.toISOString().slice(0, 16)} UTC.`,
  };
}
