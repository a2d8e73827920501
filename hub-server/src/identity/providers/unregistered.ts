import type { Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { createUser } from "../accounts/create-user.ts";
import { openInvitation } from "../accounts/invitations.ts";
import type { ExternalIdentity } from "../credentials/identities.ts";

const minutes = 60;

/** Keeps an identity without an account while its user chooses a name. Throws if the hub requires an invitation. */
export async function storeUnregistered(
  hub: Hub,
  {
    identity,
    browserHash,
    invitationId,
    next,
  }: {
    readonly identity: ExternalIdentity;
    readonly browserHash: string;
    readonly invitationId: string | null;
    readonly next: string;
  },
): Promise<void> {
  await openInvitationOf(hub, invitationId, identity.label);
  const row = {
    issuer: identity.issuer,
    subject: identity.subject,
    label: identity.label,
    suggested_name: identity.suggestedName,
    full_name: identity.fullName,
    email: identity.email,
    invitation_id: invitationId,
    next,
    expires_at: new Date(hub.clock().getTime() + minutes * 60_000),
  };
  await hub.database
    .insertInto("unregistered_identities")
    .values({ browser_hash: browserHash, ...row })
    .onConflict((conflict) => conflict.column("browser_hash").doUpdateSet(row))
    .execute();
}

/** The identity without an account that a browser has brought; throws if it has expired. */
export async function unregisteredOf(
  { database, clock }: Hub,
  browserHash: string,
): Promise<Row<"unregistered_identities">> {
  const identity = await database
    .selectFrom("unregistered_identities")
    .where("browser_hash", "=", browserHash)
    .where("expires_at", ">", clock())
    .selectAll()
    .executeTakeFirst();
  if (identity !== undefined) return identity;
  throw new HubError("provider-visit-over", {
    message:
      "The sign-in of this browser was completed already or has expired. Start again from the sign-in page.",
  });
}

/** Creates the account of an identity. Returns the user's id. */
export async function registerIdentity(
  hub: Hub,
  unregistered: Row<"unregistered_identities">,
  { name, email }: { readonly name: string; readonly email: string },
): Promise<number> {
  const { label, full_name, browser_hash } = unregistered;
  const invitation = await openInvitationOf(hub, unregistered.invitation_id, label);
  const isVerified = email.trim().toLowerCase() === unregistered.email?.toLowerCase();
  const user = { name, email, isVerified, fullName: full_name, identity: unregistered, invitation };
  const id = await createUser(hub, user);
  await hub.database
    .deleteFrom("unregistered_identities")
    .where("browser_hash", "=", browser_hash)
    .execute();
  return id;
}

/** The invitation with which an account may be created; undefined if registration is open. Throws if it is needed and missing. */
async function openInvitationOf(
  { database, settings, clock }: Hub,
  id: string | null,
  label: string,
): Promise<Row<"invitations"> | undefined> {
  const { HUB_REGISTRATION: registration } = settings;
  const invitation = id === null ? undefined : await openInvitation(database, { id, now: clock() });
  // The hub's own invitation of its first administrator works on a closed hub, too.
  const isInvited =
    invitation !== undefined && (registration !== "closed" || invitation.invited_by === null);
  if (isInvited) return invitation;
  if (registration === "open" && id === null) return undefined;
  throw new HubError("identity-unknown", {
    message:
      registration === "closed"
        ? `No account of this hub signs in as ${label}, and the hub does not accept new accounts. If you have an account, sign in another way and add this one in your settings.`
        : `No account of this hub signs in as ${label}, and a new account needs an invitation. Open the link of yours, or ask an administrator for one. If you have an account, sign in another way and add this one in your settings.`,
  });
}
