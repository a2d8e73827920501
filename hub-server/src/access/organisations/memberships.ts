import { addMember, developers } from "../../identity/accounts/add-member.ts";
import { createAccount } from "../../identity/accounts/create-account.ts";
import { limitFor, type UserLimit } from "../../identity/accounts/new-account-limit.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Change } from "../../platform/hub/hub.ts";
import type { Organisation, Role } from "./organisation.ts";

/** A user's place in an organisation. */
interface Membership {
  /** The organisation's name. */
  readonly name: string;
  readonly createdAt: Date;
  readonly role: Role;
}

/** The organisations of a user, sorted by name. */
export async function organisationsOf(
  database: Database,
  userId: number,
): Promise<readonly Membership[]> {
  return await database
    .selectFrom("memberships")
    .innerJoin("accounts", "accounts.id", "memberships.organisation_id")
    .where("memberships.user_id", "=", userId)
    .orderBy("accounts.name")
    .select(["accounts.name", "accounts.created_at as createdAt", "memberships.role"])
    .execute();
}

const week = 7 * 24 * 3_600_000;
/** The maximum number of new organisations per user and week: names are never released. */
const maxPerWeek = 20;

/** Creates an organisation, which owns the npm scope of its name. Its creator becomes its first owner. */
export async function createOrganisation(
  { database, now, event }: Change,
  identity: Identity,
  { name, settings }: { readonly name: string; readonly settings: Settings },
): Promise<Organisation> {
  if (!identity.isAdmin) {
    const limit = { user: identity, max: maxPerWeek, now };
    await requireRate(database, { ...limit, ...(await limitFor(database, settings, limit)) });
  }
  const id = await createAccount(database, {
    name,
    kind: "organisation",
    now,
    mayBeSimilar: identity.isAdmin,
  });
  await database
    .insertInto("teams")
    .values({ organisation_id: id, name: developers, created_at: now })
    .execute();
  await addMember(database, { organisationId: id, userId: identity.userId, role: "owner", now });
  event({ type: "organisation.created", actor: identity.name, subject: name });
  return { id, name, createdAt: now, role: "owner" };
}

async function requireRate(
  database: Change["database"],
  { user: { userId }, max, note, now }: UserLimit & { readonly user: Identity; readonly now: Date },
): Promise<void> {
  const { count } = await database
    .selectFrom("memberships")
    .where("user_id", "=", userId)
    .where("role", "=", "owner")
    .where("created_at", ">", new Date(now.getTime() - week))
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < max) return;
  throw new HubError("too-many-organisations", {
    message: `Rate limit exceeded: each user may create ${max} organisations per week.${note} Wait, or ask this hub's operator.`,
    headers: { "retry-after": "86400" },
  });
}
