import { addMember } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { OrganisationChange, Role } from "./organisation.ts";

/** The members of an organisation, sorted by name. */
export async function listMembers(
  database: Database,
  organisationId: number,
): Promise<{ readonly name: string; readonly role: Role }[]> {
  return await database
    .selectFrom("memberships")
    .innerJoin("accounts", "accounts.id", "memberships.user_id")
    .where("memberships.organisation_id", "=", organisationId)
    .orderBy("accounts.name")
    .select(["accounts.name", "memberships.role"])
    .execute();
}

/**
 * Adds a member, or changes a member's role, and returns the member's role. Default: a new member becomes a developer,
 * and an existing member keeps the current role.
 */
export async function setMember(
  change: OrganisationChange,
  userName: string,
  role: Role | undefined,
): Promise<Role> {
  const { database, organisation, now, event } = change;
  const user = await findUser(database, userName);
  if (user === undefined) throw uninvited(userName, organisation.name);
  const currentRole = await memberRole(change, user.id);
  if (currentRole === undefined) {
    const newRole = role ?? "developer";
    await addMember(database, {
      organisationId: organisation.id,
      userId: user.id,
      role: newRole,
      now,
    });
    const detail = { user: userName, role: newRole };
    event({ type: "member.added", subject: organisation.name, detail });
    return newRole;
  }
  if (role === undefined || role === currentRole) return currentRole;
  if (currentRole === "owner") await requireAnotherOwner(change, user);
  await database
    .updateTable("memberships")
    .set({ role })
    .where("organisation_id", "=", organisation.id)
    .where("user_id", "=", user.id)
    .execute();
  const detail = { user: userName, role };
  event({ type: "member.changed", subject: organisation.name, detail });
  return role;
}

/** Removes a member from an organisation and its teams, and as a maintainer of its packages. */
export async function removeMember(change: OrganisationChange, userName: string): Promise<void> {
  const { database, organisation, event } = change;
  const user = await requireUser(database, userName);
  const role = await memberRole(change, user.id);
  if (role === undefined)
    throw new HubError("not-found", {
      message: `${userName} is not a member of ${organisation.name}. List its members: npm org ls ${organisation.name}`,
    });
  if (role === "owner") await requireAnotherOwner(change, user);
  await database
    .deleteFrom("team_members")
    .where("user_id", "=", user.id)
    .where("team_id", "in", (row) =>
      row.selectFrom("teams").where("organisation_id", "=", organisation.id).select("id"),
    )
    .execute();
  await database
    .deleteFrom("package_users")
    .where("user_id", "=", user.id)
    .where("package_id", "in", (row) =>
      row.selectFrom("packages").where("owner_id", "=", organisation.id).select("id"),
    )
    .execute();
  await database
    .deleteFrom("memberships")
    .where("organisation_id", "=", organisation.id)
    .where("user_id", "=", user.id)
    .execute();
  event({ type: "member.removed", subject: organisation.name, detail: { user: userName } });
}

interface NamedUser {
  readonly id: number;
  readonly name: string;
}

/** Returns the user with a name, or throws `not-found`. */
export async function requireUser(database: Database, name: string): Promise<NamedUser> {
  const user = await findUser(database, name);
  if (user === undefined) throw notFound(`The user ${name}`);
  return user;
}

async function findUser(database: Database, name: string): Promise<NamedUser | undefined> {
  return await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .where("kind", "=", "user")
    .select(["id", "name"])
    .executeTakeFirst();
}

function uninvited(userName: string, organisationName: string): HubError {
  return new HubError("not-found", {
    message: `The user ${userName} is not on this hub. An owner of ${organisationName} can send an invitation: /settings/invitations`,
  });
}

async function memberRole(
  { database, organisation }: OrganisationChange,
  userId: number,
): Promise<Role | undefined> {
  const membership = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", organisation.id)
    .where("user_id", "=", userId)
    .select("role")
    .executeTakeFirst();
  return membership?.role;
}

/** Throws for the last owner: only owners manage members, so an organisation without owners could never get one again. */
async function requireAnotherOwner(
  { database, organisation }: OrganisationChange,
  user: NamedUser,
): Promise<void> {
  const otherOwner = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", organisation.id)
    .where("role", "=", "owner")
    .where("user_id", "!=", user.id)
    .select("user_id")
    .executeTakeFirst();
  if (otherOwner !== undefined) return;
  throw new HubError("last-owner", {
    message: `${user.name} is the last owner of ${organisation.name}. First add another owner: npm org set ${organisation.name} <user> owner`,
  });
}
