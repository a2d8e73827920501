import type { Database } from "../../platform/database/connect.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import type { OrganisationChange } from "./change-organisation.ts";
import { requireUser } from "./members.ts";
import { refuseDevelopers, requireTeam } from "./teams.ts";

/** Who is in a team, by name. */
export async function teamMembers(database: Database, teamId: number): Promise<string[]> {
  const members = await database
    .selectFrom("team_members")
    .innerJoin("accounts", "accounts.id", "team_members.user_id")
    .where("team_members.team_id", "=", teamId)
    .orderBy("accounts.name")
    .select("accounts.name")
    .execute();
  return members.map(({ name }) => name);
}

interface TeamMember {
  readonly team: string;
  readonly user: string;
}

/** Puts a member of the organisation into a team; who is in it stays in it. */
export async function joinTeam(change: OrganisationChange, member: TeamMember): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, { organisation, team: member.team });
  const user = await requireUser(database, member.user);
  const membership = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", organisation.id)
    .where("user_id", "=", user.id)
    .select("role")
    .executeTakeFirst();
  if (membership === undefined)
    throw forbidden(
      `${user.name} is no member of ${organisation.name}. Add them first: npm org set ${organisation.name} ${user.name}`,
    );
  const { numInsertedOrUpdatedRows } = await database
    .insertInto("team_members")
    .values({ team_id: team.id, user_id: user.id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return;
  event({
    type: "team.joined",
    subject: `${organisation.name}:${team.name}`,
    detail: { user: user.name },
  });
}

/** Takes somebody out of a team. */
export async function leaveTeam(change: OrganisationChange, member: TeamMember): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, { organisation, team: member.team });
  refuseDevelopers(
    team.name,
    `Take ${member.user} out of the organisation: npm org rm ${organisation.name} ${member.user}`,
  );
  const user = await requireUser(database, member.user);
  const { numDeletedRows } = await database
    .deleteFrom("team_members")
    .where("team_id", "=", team.id)
    .where("user_id", "=", user.id)
    .executeTakeFirst();
  const subject = `${organisation.name}:${team.name}`;
  if (numDeletedRows === 0n) throw notFound(`${user.name} in ${subject}`);
  event({ type: "team.left", subject, detail: { user: user.name } });
}
