import { addMember } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/connect.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { OrganisationChange } from "./change-organisation.ts";
import type { Role } from "./organisation.ts";

/** Who is in an organisation, by name. */
export async function membersOf(
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

/** Adds a member, or gives one another role; without a role, a new member is a developer and others stay what they are. */
export async function setMember(
  change: OrganisationChange,
  { user: name, role }: { readonly user: string; readonly role?: Role },
): Promise<Role> {
  const { database, organisation, event } = change;
  const user = await findUser(database, name);
  if (user === undefined) throw uninvited(name, organisation.name);
  const held = await roleOf(change, user.id);
  if (held === undefined) {
    const given = role ?? "developer";
    await addMember(database, {
      organisationId: organisation.id,
      userId: user.id,
      role: given,
      now: change.now,
    });
    event({
      type: "member.added",
      subject: organisation.name,
      detail: { user: name, role: given },
    });
    return given;
  }
  if (role === undefined || role === held) return held;
  if (held === "owner") await requireAnotherOwner(change, user);
  await database
    .updateTable("memberships")
    .set({ role })
    .where("organisation_id", "=", organisation.id)
    .where("user_id", "=", user.id)
    .execute();
  event({ type: "member.changed", subject: organisation.name, detail: { user: name, role } });
  return role;
}

/** Takes somebody out of an organisation, its teams, and whatever they were named for in its packages. */
export async function removeMember(change: OrganisationChange, name: string): Promise<void> {
  const { database, organisation, event } = change;
  const user = await requireUser(database, name);
  const held = await roleOf(change, user.id);
  if (held === undefined) throw notFound(`${name} as a member of ${organisation.name}`);
  if (held === "owner") await requireAnotherOwner(change, user);
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
  event({ type: "member.removed", subject: organisation.name, detail: { user: name } });
}

interface NamedUser {
  readonly id: number;
  readonly name: string;
}

/** The user of a name, who is told of as missing otherwise. */
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

function uninvited(user: string, organisation: string): HubError {
  return new HubError("not-found", {
    message: `The user ${user} is not on this hub. An owner of ${organisation} can invite them to it: /settings/invitations`,
  });
}

async function roleOf(
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

/** Without an owner, nobody could ever manage the organisation again. */
async function requireAnotherOwner(
  { database, organisation }: OrganisationChange,
  user: { readonly id: number; readonly name: string },
): Promise<void> {
  const other = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", organisation.id)
    .where("role", "=", "owner")
    .where("user_id", "!=", user.id)
    .select("user_id")
    .executeTakeFirst();
  if (other !== undefined) return;
  throw new HubError("last-owner", {
    message: `${user.name} is the last owner of ${organisation.name}. Make somebody else one first: npm org set ${organisation.name} <user> owner`,
  });
}
