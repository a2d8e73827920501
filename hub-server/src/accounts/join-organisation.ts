import type { Database } from "../database/connect.ts";
import type { HubEvent } from "../events/append.ts";
import { developers } from "../teams/developers.ts";

/** Makes a new user a developer of the organisation that invited them; what the log tells of it. */
export async function joinOrganisation(
  database: Database,
  {
    organisationId,
    user,
    invitedBy,
    now,
  }: {
    readonly organisationId: number;
    readonly user: { readonly id: number; readonly name: string };
    readonly invitedBy: number | null;
    readonly now: Date;
  },
): Promise<HubEvent> {
  const organisation = await database
    .selectFrom("accounts")
    .where("id", "=", organisationId)
    .select("name")
    .executeTakeFirstOrThrow();
  const inviter = await database
    .selectFrom("accounts")
    .where("id", "=", invitedBy)
    .select("name")
    .executeTakeFirst();
  await database
    .insertInto("memberships")
    .values({
      organisation_id: organisationId,
      user_id: user.id,
      role: "developer",
      created_at: now,
    })
    .execute();
  await database
    .insertInto("team_members")
    .columns(["team_id", "user_id"])
    .expression((query) =>
      query
        .selectFrom("teams")
        .where("organisation_id", "=", organisationId)
        .where("name", "=", developers)
        .select((row) => ["id", row.val(user.id).as("user_id")]),
    )
    .execute();
  return {
    type: "member.added",
    actor: inviter?.name ?? user.name,
    subject: organisation.name,
    detail: { user: user.name, role: "developer" },
  };
}
