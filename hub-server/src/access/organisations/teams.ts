import { developers } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/connect.ts";
import { forbidden, HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { OrganisationChange } from "./change-organisation.ts";

/** The names of an organisation's teams. */
export async function teamsOf(database: Database, organisationId: number): Promise<string[]> {
  const teams = await database
    .selectFrom("teams")
    .where("organisation_id", "=", organisationId)
    .orderBy("name")
    .select("name")
    .execute();
  return teams.map(({ name }) => name);
}

/** A team of an organisation. */
export interface Team {
  readonly id: number;
  readonly name: string;
}

export async function requireTeam(
  database: Database,
  {
    organisation,
    team: name,
  }: {
    readonly organisation: { readonly id: number; readonly name: string };
    readonly team: string;
  },
): Promise<Team> {
  const found = await database
    .selectFrom("teams")
    .where("organisation_id", "=", organisation.id)
    .where("name", "=", name)
    .select(["id", "name"])
    .executeTakeFirst();
  if (found === undefined) throw notFound(`The team ${organisation.name}:${name}`);
  return found;
}

/** A team without members or packages. */
export async function createTeam(
  { database, now, organisation, event }: OrganisationChange,
  name: string,
): Promise<void> {
  if (!/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/.test(name))
    throw new HubError("team-name-invalid", {
      message: `${JSON.stringify(name.slice(0, 100))} cannot be a team's name. Choose up to 64 lower-case letters, digits, dots, hyphens and underscores; begin and end with a letter or a digit.`,
    });
  const made = await database
    .insertInto("teams")
    .values({ organisation_id: organisation.id, name, created_at: now })
    .onConflict((conflict) => conflict.columns(["organisation_id", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (made === undefined)
    throw new HubError("team-taken", {
      message: `${organisation.name} has a team ${name} already.`,
    });
  event({ type: "team.created", subject: `${organisation.name}:${name}` });
}

/** What was granted to the team, its members lose with it. */
export async function removeTeam(
  { database, organisation, event }: OrganisationChange,
  name: string,
): Promise<void> {
  const { id } = await requireTeam(database, { organisation, team: name });
  refuseDevelopers(name, "It cannot be removed; revoke what it may do: npm access revoke.");
  await database.deleteFrom("teams").where("id", "=", id).execute();
  event({ type: "team.removed", subject: `${organisation.name}:${name}` });
}

/** The team of everybody follows the organisation's members. */
export function refuseDevelopers(name: string, instead: string): void {
  if (name !== developers) return;
  throw forbidden(`The team ${developers} is everybody in the organisation. ${instead}`);
}
