import { appealPath } from "../identity/credentials/suspension.ts";
import { storeNotice } from "../identity/mail/notice.ts";
import type { Database, Row } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";

const verbs = {
  quarantine: "quarantined",
  takedown: "taken down",
  suspension: "suspended",
} as const;

/** Sends a decision to the owner of its target by e-mail, or to all owners of the organisation. */
export async function notifyOwners(
  database: Database,
  hub: Hub,
  act: Row<"moderation_acts">,
): Promise<void> {
  const { id, kind, subject, reason, explanation, owner_id: ownerId } = act;
  if (ownerId === null) return;
  const members = await database
    .selectFrom("memberships")
    .where("organisation_id", "=", ownerId)
    .where("role", "=", "owner")
    .select("user_id")
    .execute();
  const users = members.length === 0 ? [ownerId] : members.map(({ user_id }) => user_id);
  const page = kind === "suspension" ? appealPath(id) : "/settings/decisions";
  for (const userId of users)
    await storeNotice(database, hub, {
      userId,
      subject: `Moderators have ${verbs[kind]} ${subject}`,
      text: `The reason is: ${reason}. ${explanation}\n\nYou may appeal once, on the page ${hub.settings.HUB_URL ?? ""}${page}`,
    });
}
