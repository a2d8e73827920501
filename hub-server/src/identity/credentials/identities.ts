import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { storeNotice } from "../mail/notice.ts";
import { lockUser } from "./lock-user.ts";
import { accountClosed, rejectSuspended } from "./suspension.ts";

/** A user as a provider describes them. Only the issuer and the subject identify the user. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The name or address of the account there. */
  readonly label: string;
  readonly suggestedName: string;
  readonly fullName: string;
  /** Null unless the provider has verified it. */
  readonly email: string | null;
}

/** A user whose provider signed them in. */
export interface ProviderLogin {
  readonly id: number;
  readonly hasSecondFactor: boolean;
}

/** Finds the user of an identity. Never by e-mail address: a provider may give one address to another person. */
export async function userOfIdentity(
  { database, clock }: Hub,
  { issuer, subject, label }: ExternalIdentity,
): Promise<ProviderLogin | undefined> {
  const identity = await database
    .updateTable("identities")
    .set({ last_used_at: clock(), label })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .returning("user_id")
    .executeTakeFirst();
  if (identity === undefined) return undefined;
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", identity.user_id)
    .where("disabled_at", "is", null)
    .select(["account_id", "totp_confirmed_at"])
    .executeTakeFirst();
  if (user !== undefined)
    return { id: user.account_id, hasSecondFactor: user.totp_confirmed_at !== null };
  await rejectSuspended(database, identity.user_id);
  throw accountClosed();
}

/** Adds an identity to a user. Throws if it belongs to another one. */
export async function addIdentity(
  database: Database,
  {
    identity: { issuer, subject, label },
    userId,
    now,
  }: {
    readonly identity: Pick<ExternalIdentity, "issuer" | "subject" | "label">;
    readonly userId: number;
    readonly now: Date;
  },
): Promise<void> {
  await database
    .insertInto("identities")
    .values({ issuer, subject, user_id: userId, label, created_at: now, last_used_at: now })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .execute();
  const { user_id } = await database
    .selectFrom("identities")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .select("user_id")
    .executeTakeFirstOrThrow();
  if (user_id === userId) return;
  throw new HubError("identity-taken", {
    message: `Another account of this hub signs in as ${label}. Sign in to that account and remove it there first.`,
  });
}

/** The identities with which a user signs in, oldest first. */
export async function identitiesOf(
  database: Database,
  userId: number,
): Promise<readonly Row<"identities">[]> {
  return await database
    .selectFrom("identities")
    .where("user_id", "=", userId)
    .selectAll()
    .orderBy("created_at")
    .execute();
}

/** An identity or a passkey with which a user signs in. */
type SignInMethod =
  | { readonly issuer: string; readonly subject: string }
  | { readonly passkey: string };

/** Removes a way to sign in, unless it is the user's last one. */
export async function removeSignInMethod(
  hub: Hub,
  userId: number,
  method: SignInMethod,
): Promise<void> {
  await change(hub, async ({ database }) => {
    // Two requests could remove the last two methods at the same time.
    await lockUser(database, userId);
    const query =
      "passkey" in method
        ? database.deleteFrom("passkeys").where("id", "=", method.passkey)
        : database
            .deleteFrom("identities")
            .where("issuer", "=", method.issuer)
            .where("subject", "=", method.subject);
    await query.where("user_id", "=", userId).execute();
    await requireSignInMethod(database, userId);
    await storeNotice(database, hub, {
      userId,
      subject: "A way to sign in was removed",
      text: `${"passkey" in method ? "A passkey" : method.issuer} can no longer be used to sign in.`,
    });
  });
}

async function requireSignInMethod(database: Database, userId: number): Promise<void> {
  const password = database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .where("password_hash", "is not", null)
    .select("account_id as id");
  const identity = database
    .selectFrom("identities")
    .where("user_id", "=", userId)
    .select("user_id as id");
  const passkey = database
    .selectFrom("passkeys")
    .where("user_id", "=", userId)
    .select("user_id as id");
  const method = await password.union(identity).union(passkey).executeTakeFirst();
  if (method !== undefined) return;
  throw new HubError("last-sign-in-method", {
    message:
      "This is your only way to sign in. Set a password or add another way to sign in, then remove it.",
  });
}
