import { developers } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/tables.ts";
import { forbidden, HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Organisation, OrganisationChange } from "./organisation.ts";

/** The names of an organisation's teams, sorted. */
export async function listTeams(database: Database, organisationId: number): Promise<string[]> {
  const teams = await database
    .selectFrom("teams")
    .where("organisation_id", "=", organisationId)
    .orderBy("name")
    .select("name")
    .execute();
  return teams.map(({ name }) => name);
}

/** The teams of an organisation with the number of their members, sorted by name. */
export async function listTeamSizes(
  database: Database,
  organisationId: number,
): Promise<readonly { readonly name: string; readonly members: number }[]> {
  return await database
    .selectFrom("teams")
    .leftJoin("team_members", "team_members.team_id", "teams.id")
    .where("organisation_id", "=", organisationId)
    .groupBy("teams.id")
    .orderBy("name")
    .select(["name", (row) => row.fn.count<number>("team_members.user_id").as("members")])
    .execute();
}

export interface Team {
  readonly id: number;
  readonly name: string;
}

/** Returns a team of an organisation, or throws `not-found`. */
export async function requireTeam(
  database: Database,
  organisation: Organisation,
  name: string,
): Promise<Team> {
  const team = await database
    .selectFrom("teams")
    .where("organisation_id", "=", organisation.id)
    .where("name", "=", name)
    .select(["id", "name"])
    .executeTakeFirst();
  if (team === undefined) throw notFound(`The team ${organisation.name}:${name}`);
  return team;
}

/** Creates a team without members and packages. */
export async function createTeam(
  { database, now, organisation, event }: OrganisationChange,
  name: string,
): Promise<void> {
  if (!/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/.test(name))
    throw new HubError("team-name-invalid", {
      message: `${JSON.stringify(name.slice(0, 100))} is not a valid team name. Use up to 64 lower-case letters, digits, dots, hyphens and underscores; begin and end with a letter or digit.`,
    });
  const row = await database
    .insertInto("teams")
    .values({ organisation_id: organisation.id, name, created_at: now })
    .onConflict((conflict) => conflict.columns(["organisation_id", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row === undefined)
    throw new HubError("team-taken", {
      message: `The team ${organisation.name}:${name} already exists. Choose another name.`,
    });
  event({ type: "team.created", subject: `${organisation.name}:${name}` });
}

/** Removes a team and its permissions. */
export async function removeTeam(
  { database, organisation, event }: OrganisationChange,
  name: string,
): Promise<void> {
  const { id } = await requireTeam(database, organisation, name);
  rejectDevelopersTeam(
    name,
    "It cannot be removed; revoke its permissions instead: npm access revoke.",
  );
  await database.deleteFrom("teams").where("id", "=", id).execute();
  event({ type: "team.removed", subject: `${organisation.name}:${name}` });
}

/** Rejects a change of the team `developers`, whose members are those of the organisation. */
export function rejectDevelopersTeam(name: string, remedy: string): void {
  if (name !== developers) return;
  throw forbidden(`The team ${developers} always contains every member. ${remedy}`);
}
