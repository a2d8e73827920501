import { reasonFor } from "../../access/permissions/restriction.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Rejects the use of a run that moderators have taken down. Its owner can neither delete it nor push it again. */
export async function rejectRunTakenDown(database: Database, id: string): Promise<never> {
  const reason = await reasonFor(database, { kind: "run", id });
  throw new HubError("run-taken-down", {
    message: `Moderators of this hub have taken the run ${id} down (${reason}). It is on no leaderboard. The user who pushed it can appeal: /settings/decisions`,
  });
}
