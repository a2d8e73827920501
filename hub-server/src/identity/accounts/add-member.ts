import type { Database, Row } from "../../platform/database/tables.ts";

/** npm's default team: it contains every member and may write to new packages until an administrator revokes that. */
export const developers = "developers";

/** Adds a user to an organisation and to its team `developers`. */
export async function addMember(
  database: Database,
  {
    organisationId,
    userId,
    role,
    now,
  }: {
    readonly organisationId: number;
    readonly userId: number;
    readonly role: Row<"memberships">["role"];
    readonly now: Date;
  },
): Promise<void> {
  await database
    .insertInto("memberships")
    .values({ organisation_id: organisationId, user_id: userId, role, created_at: now })
    .execute();
  await database
    .insertInto("team_members")
    .columns(["team_id", "user_id"])
    .expression((query) =>
      query
        .selectFrom("teams")
        .where("organisation_id", "=", organisationId)
        .where("name", "=", developers)
        .select((row) => ["id", row.val(userId).as("user_id")]),
    )
    .execute();
}
