import { HubError } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";

interface User {
  readonly id: number;
  readonly name: string;
}

/** Whether the user has accepted the hub's current terms. True for a hub without terms. */
export async function hasAcceptedTerms(
  { database, settings: { HUB_TERMS } }: Hub,
  userId: number,
): Promise<boolean> {
  if (HUB_TERMS === undefined) return true;
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .select("accepted_terms")
    .executeTakeFirst();
  return user?.accepted_terms === HUB_TERMS.version;
}

/** Rejects a change of a user who has not accepted the hub's current terms. `page` is the URL on which to accept them. */
export async function requireTerms(hub: Hub, { id, name }: User, page: string): Promise<void> {
  if (await hasAcceptedTerms(hub, id)) return;
  throw new HubError("terms-not-accepted", {
    message: `${name} has not accepted the terms of this hub. Read and accept them at ${page}, then try again.`,
  });
}

/** Stores that a user accepts the current terms, in the user's log too. */
export async function acceptTerms(hub: Hub, { id, name }: User): Promise<void> {
  const { HUB_TERMS: terms } = hub.settings;
  if (terms === undefined) return;
  await change(hub, async ({ database, event }) => {
    await database
      .updateTable("users")
      .set({ accepted_terms: terms.version })
      .where("account_id", "=", id)
      .execute();
    event({
      type: "user.changed",
      actor: name,
      subject: name,
      detail: { acceptedTerms: terms.version },
      organisationId: id,
    });
  });
}

/** The page to open after an account was created: the terms first, if the hub has any. */
export function afterSignUp({ settings: { HUB_TERMS } }: Hub, next: string): string {
  return HUB_TERMS === undefined ? next : `/terms?next=${encodeURIComponent(next)}`;
}
