import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Removes a staged version in the transaction that publishes or rejects it. Only one such transaction succeeds. */
export async function endStaged(transaction: Database, id: string): Promise<void> {
  const deleted = await transaction
    .deleteFrom("staged_versions")
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (deleted === undefined) throw stageEnded();
}

export function stageEnded(): HubError {
  return new HubError("stage-ended", {
    message:
      "This version is no longer staged: another user has approved or rejected it. List staged versions: npm stage list",
  });
}
