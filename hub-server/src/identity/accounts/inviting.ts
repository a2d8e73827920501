import type { Invitation } from "@envs/hub-client";

import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { lockUser } from "../credentials/lock-user.ts";
import { invite } from "./invitations.ts";
import { limitFor } from "./new-account-limit.ts";

const day = 24 * 3_600_000;

/** The user who invites. */
export interface Inviter {
  readonly id: number;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** The rights and the lifetime of an invitation. */
export interface InvitationOptions {
  /** The organisation that the new user joins as a developer. */
  readonly organisation?: string | undefined;
  readonly isAdmin: boolean;
  readonly days: number;
}

/** An unused invitation. */
export interface OpenInvitation extends Omit<Invitation, "createdAt" | "expiresAt"> {
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Creates an invitation. Administrators may grant any rights; an owner may invite developers to the organisation. */
export async function createInvitation(
  hub: Hub,
  inviter: Inviter,
  { organisation, isAdmin, days }: InvitationOptions,
): Promise<OpenInvitation & { readonly secret: string }> {
  const { database, settings, clock } = hub;
  if (settings.HUB_REGISTRATION === "closed")
    throw forbidden("This hub does not accept new accounts: HUB_REGISTRATION is closed.");
  const organisationId = await organisationFor(database, inviter, organisation);
  if (!inviter.isAdmin && (organisationId === undefined || isAdmin))
    throw forbidden(
      "Only the hub's administrators may invite users without an organisation. Name an organisation that you own.",
    );
  const createdAt = clock();
  const invitation = await database.transaction().execute(async (transaction) => {
    await requireRate(hub, transaction, { inviter, now: createdAt });
    return await invite(transaction, {
      isAdmin,
      ...(organisationId === undefined ? {} : { organisationId }),
      invitedBy: inviter.id,
      hours: days * 24,
      now: createdAt,
    });
  });
  const invitedBy = inviter.name;
  return { ...invitation, organisation: organisation ?? null, isAdmin, invitedBy, createdAt };
}

async function requireRate(
  { settings }: Hub,
  database: Database,
  { inviter, now }: { readonly inviter: Inviter; readonly now: Date },
): Promise<void> {
  if (inviter.isAdmin || settings.HUB_LIMITS === "off") return;
  await lockUser(database, inviter.id);
  const user = { userId: inviter.id, isAdmin: false };
  const limit = { user, max: settings.HUB_INVITATIONS_PER_DAY, now };
  const { max, note } = await limitFor(database, settings, limit);
  const { count } = await database
    .selectFrom("invitations")
    .where("invited_by", "=", inviter.id)
    .where("created_at", ">", new Date(now.getTime() - day))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < max) return;
  throw new HubError("too-many-requests", {
    message: `Rate limit exceeded: each user may invite ${max} users per day on this hub.${note} Try again tomorrow.`,
    headers: { "retry-after": "86400" },
  });
}

/** Lists unused invitations: all for an administrator, otherwise the user's own. */
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

/** Deletes an unused invitation. Returns whether it existed and the user may delete it. */
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

/** The organisations to which the user may invite: all for an administrator, otherwise those that the user owns. */
export async function organisationsToInviteTo(
  database: Database,
  inviter: Inviter,
): Promise<readonly string[]> {
  const organisations = await database
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
  return organisations.map(({ name }) => name);
}

async function organisationFor(
  database: Database,
  inviter: Inviter,
  name: string | undefined,
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const organisation = await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .where("kind", "=", "organisation")
    .select("id")
    .executeTakeFirst();
  const isAllowed =
    organisation !== undefined && (await organisationsToInviteTo(database, inviter)).includes(name);
  if (isAllowed) return organisation.id;
  throw new HubError("not-an-owner", {
    message: `${inviter.name} does not own the organisation ${name}. Ask one of its owners to invite: npm org ls ${name}`,
  });
}
