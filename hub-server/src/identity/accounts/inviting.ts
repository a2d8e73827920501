import type { Database } from "../../platform/database/connect.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { invite } from "./invitations.ts";

/** Somebody who invites. */
export interface Inviter {
  readonly id: number;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** Whom to invite. */
export interface Invited {
  /** The organisation that the new user becomes a developer of. */
  readonly organisation?: string | undefined;
  readonly isAdmin: boolean;
  readonly days: number;
}

/** An invitation that nobody has used yet. */
export interface OpenInvitation {
  readonly id: string;
  readonly organisation: string | null;
  readonly isAdmin: boolean;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Invites somebody: an administrator whomever, an owner of an organisation a developer of it. */
export async function inviteSomebody(
  { database, settings, clock }: Hub,
  inviter: Inviter,
  { organisation, isAdmin, days }: Invited,
): Promise<OpenInvitation & { readonly secret: string }> {
  if (settings.HUB_REGISTRATION === "closed")
    throw forbidden("This hub takes no new accounts: HUB_REGISTRATION is closed.");
  const organisationId = await organisationFor(database, inviter, organisation);
  if (!inviter.isAdmin && (organisationId === undefined || isAdmin))
    throw forbidden(
      "Administrators of the hub invite to it, and owners of an organisation invite to that. Name an organisation that you own.",
    );
  const createdAt = clock();
  const made = await invite(database, {
    isAdmin,
    ...(organisationId === undefined ? {} : { organisationId }),
    invitedBy: inviter.id,
    hours: days * 24,
    now: createdAt,
  });
  const invitedBy = inviter.name;
  return { ...made, organisation: organisation ?? null, isAdmin, invitedBy, createdAt };
}

/** The invitations that somebody may see: an administrator all, others their own. */
export async function openInvitations(
  { database, clock }: Hub,
  inviter: Inviter,
): Promise<readonly OpenInvitation[]> {
  return await database
    .selectFrom("invitations")
    .innerJoin("accounts as inviters", "inviters.id", "invitations.invited_by")
    .leftJoin("accounts as organisations", "organisations.id", "invitations.organisation_id")
    .where("used_at", "is", null)
    .where("expires_at", ">", clock())
    .$if(!inviter.isAdmin, (query) => query.where("invited_by", "=", inviter.id))
    .select(["invitations.id", "organisations.name as organisation"])
    .select(["invitations.is_admin as isAdmin", "inviters.name as invitedBy"])
    .select(["invitations.created_at as createdAt", "invitations.expires_at as expiresAt"])
    .orderBy("invitations.created_at", "desc")
    .execute();
}

/** Takes an invitation back; whether it was there. */
export async function revokeInvitation(
  { database }: Hub,
  inviter: Inviter,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom("invitations")
    .where("id", "=", id)
    .where("used_at", "is", null)
    .$if(!inviter.isAdmin, (query) => query.where("invited_by", "=", inviter.id))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** The organisations that somebody may invite to. */
export async function organisationsToInviteTo(
  database: Database,
  inviter: Inviter,
): Promise<readonly string[]> {
  const found = await database
    .selectFrom("accounts")
    .where("kind", "=", "organisation")
    .$if(!inviter.isAdmin, (query) =>
      query.where("id", "in", (row) =>
        row
          .selectFrom("memberships")
          .where("user_id", "=", inviter.id)
          .where("role", "=", "owner")
          .select("organisation_id"),
      ),
    )
    .select("name")
    .orderBy("name")
    .execute();
  return found.map(({ name }) => name);
}

async function organisationFor(
  database: Database,
  inviter: Inviter,
  name: string | undefined,
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const found = await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .where("kind", "=", "organisation")
    .select("id")
    .executeTakeFirst();
  const own = found && (await organisationsToInviteTo(database, inviter)).includes(name);
  if (found !== undefined && own) return found.id;
  throw new HubError("not-an-owner", {
    message: `${inviter.name} does not own an organisation ${name}. Its owners invite to it: npm org ls ${name}`,
  });
}
