import { deleteAccount } from "../identity/accounts/delete-account.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { deleteRun } from "./runs/change-run.ts";

/** Deletes the accounts whose users requested it and have not signed in since, and the runs that go with them. */
export async function deleteDueAccounts(hub: Hub): Promise<void> {
  const due = await hub.database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("delete_at", "<=", hub.clock())
    .select("name")
    .execute();
  for (const { name } of due)
    try {
      await deleteAccount(hub, name);
    } catch (error) {
      // The user has become the last owner of an organisation since.
      if (!(error instanceof HubError)) throw error;
      hub.log.warn({ err: error, user: name }, "an account could not be deleted yet");
    }
  await deleteRunsOfDeleted(hub);
}

/** Continues after a crash, because the account is deleted before its runs. */
async function deleteRunsOfDeleted(hub: Hub): Promise<void> {
  const users = await hub.database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("deletes_runs", "=", true)
    .where("deleted_at", "is not", null)
    .select(["id", "name"])
    .execute();
  for (const { id, name } of users) {
    const runs = await hub.database
      .selectFrom("runs")
      .where("owner_id", "=", id)
      // An appeal may need a run that moderators have taken down.
      .where("state", "!=", "taken-down")
      .select("id")
      .execute();
    for (const run of runs) await deleteRun(hub, run.id, name);
    await hub.database
      .updateTable("users")
      .set({ deletes_runs: false })
      .where("account_id", "=", id)
      .execute();
  }
}
