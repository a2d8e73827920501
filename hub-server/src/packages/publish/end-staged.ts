import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Ends the wait of a version, in the transaction that publishes or rejects it; only one of those succeeds. */
export async function endStaged(transaction: Database, id: string): Promise<void> {
  const ended = await transaction
    .deleteFrom("staged_versions")
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (ended !== undefined) return;
  throw stageEnded();
}

export function stageEnded(): HubError {
  return new HubError("stage-ended", {
    message:
      "Somebody approved or rejected this version a moment ago. What still waits: npm stage list",
  });
}
