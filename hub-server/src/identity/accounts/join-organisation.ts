import type { Database } from "../../platform/database/connect.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import { addMember } from "./add-member.ts";

/** Makes an invited user a developer of the organisation. Returns the event to append. */
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
  const role = "developer";
  await addMember(database, { organisationId, userId: user.id, role, now });
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
  return {
    type: "member.added",
    actor: inviter?.name ?? user.name,
    subject: organisation.name,
    detail: { user: user.name, role },
    organisationId,
  };
}
