import { parseArgs } from "node:util";

import { bareApp } from "../app.ts";
import { rotateSigningKey } from "../packages/signatures/rotate.ts";
import { readSettings } from "../platform/config/read-settings.ts";
import { migrate } from "../platform/database/migrate.ts";
import { openFoundations } from "../platform/hub/foundations.ts";
import { makeHub } from "../platform/hub/hub.ts";
import { refreshSearchEntry } from "../search/refresh.ts";

/** Replaces the key that versions are signed with. Replicas that run hear of it; an embedded hub must be stopped. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { data: { type: "string" } } });
  const settings = readSettings({
    ...process.env,
    ...(values.data === undefined ? {} : { HUB_DATA: values.data }),
  });
  const { connection, blobs } = await openFoundations(settings);
  try {
    await migrate(connection);
    const { log } = bareApp({ settings });
    const hub = makeHub({
      settings,
      connection,
      blobs,
      clock: () => new Date(),
      log,
      indexPackage: refreshSearchEntry,
    });
    const { keyid, oldKeysUntil } = await rotateSigningKey(hub);
    process.stdout.write(
      `Versions are signed with ${keyid}.\nThe key before it signs nothing after ${oldKeysUntil.toISOString()}.\n`,
    );
  } finally {
    await connection.close();
  }
}
