import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { requireUser } from "./members.ts";
import type { OrganisationChange } from "./organisation.ts";
import { rejectDevelopersTeam, requireTeam } from "./teams.ts";

/** The names of a team's members, sorted. */
export async function listTeamMembers(database: Database, teamId: number): Promise<string[]> {
  const members = await database
    .selectFrom("team_members")
    .innerJoin("accounts", "accounts.id", "team_members.user_id")
    .where("team_members.team_id", "=", teamId)
    .orderBy("accounts.name")
    .select("accounts.name")
    .execute();
  return members.map(({ name }) => name);
}

/** Adds a member of the organisation to a team. Does nothing if the team has this member. */
export async function addTeamMember(
  change: OrganisationChange,
  teamName: string,
  userName: string,
): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, organisation, teamName);
  const user = await requireUser(database, userName);
  const membership = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", organisation.id)
    .where("user_id", "=", user.id)
    .select("role")
    .executeTakeFirst();
  if (membership === undefined)
    throw forbidden(
      `${user.name} is not a member of ${organisation.name}. Add the user first: npm org set ${organisation.name} ${user.name}`,
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

/** Removes a member from a team. */
export async function removeTeamMember(
  change: OrganisationChange,
  teamName: string,
  userName: string,
): Promise<void> {
  const { database, organisation, event } = change;
  const team = await requireTeam(database, organisation, teamName);
  rejectDevelopersTeam(
    team.name,
    `Remove ${userName} from the organisation: npm org rm ${organisation.name} ${userName}`,
  );
  const user = await requireUser(database, userName);
  const { numDeletedRows } = await database
    .deleteFrom("team_members")
    .where("team_id", "=", team.id)
    .where("user_id", "=", user.id)
    .executeTakeFirst();
  const fullName = `${organisation.name}:${team.name}`;
  if (numDeletedRows === 0n)
    throw new HubError("not-found", {
      message: `${user.name} is not a member of the team ${fullName}. List its members: npm team ls ${fullName}`,
    });
  event({ type: "team.left", subject: fullName, detail: { user: user.name } });
}
