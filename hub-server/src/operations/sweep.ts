import type { FastifyInstance } from "fastify";

import { deleteDueAccounts } from "../evaluations/delete-accounts.ts";
import { sweepUploads } from "../evaluations/upload/upload-rights.ts";
import { endExpired } from "../moderation/act.ts";
import { dropOldClaims } from "../platform/blobs/claims.ts";
import type { Hub } from "../platform/hub/hub.ts";

const hour = 3_600_000;

/** Deletes expired rows, which queries already ignore, and abandoned uploads. */
export async function sweep(hub: Hub): Promise<void> {
  const { database, clock } = hub;
  const now = clock();
  await database.deleteFrom("attempts").where("expires_at", "<", now).execute();
  await database.deleteFrom("sessions").where("expires_at", "<", now).execute();
  await database.deleteFrom("approvals").where("expires_at", "<", now).execute();
  await database.deleteFrom("one_time_passes").where("expires_at", "<", now).execute();
  await database.deleteFrom("used_id_tokens").where("expires_at", "<", now).execute();
  await database.deleteFrom("provider_visits").where("expires_at", "<", now).execute();
  await database.deleteFrom("unregistered_identities").where("expires_at", "<", now).execute();
  await database.deleteFrom("passkey_challenges").where("expires_at", "<", now).execute();
  await database.deleteFrom("mail_links").where("expires_at", "<", now).execute();
  await database
    .deleteFrom("mails")
    .where("failed_at", "<", new Date(now.getTime() - 30 * 24 * hour))
    .execute();
  await sweepUploads({ database, clock });
  await dropOldClaims(database, now);
  await endExpired(hub);
  await deleteDueAccounts(hub);
}

/** Sweeps once an hour while the hub runs. */
export function sweepHourly(app: FastifyInstance, hub: Hub): void {
  const timer = setInterval(
    () =>
      void sweep(hub).catch((error: unknown) => hub.log.error({ err: error }, "sweeping failed")),
    hour,
  );
  timer.unref();
  app.addHook("onClose", async () => clearInterval(timer));
}
