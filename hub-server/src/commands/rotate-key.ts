import { parseArgs } from "node:util";

import { bareApp } from "../app.ts";
import { rotateSigningKey } from "../packages/signatures/rotate.ts";
import { migrate } from "../platform/database/migrate.ts";
import { freeSpace } from "../platform/files/free-space.ts";
import { dataFolder, openFoundations } from "../platform/hub/foundations.ts";
import { makeHub } from "../platform/hub/hub.ts";
import { refreshSearchEntries } from "../search/refresh.ts";
import { commandSettings } from "./data-folder.ts";

/** Replaces the key that signs versions. Running replicas are notified; a hub with an embedded database must be stopped. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { data: { type: "string" } } });
  const settings = commandSettings({ data: values.data });
  const { connection, blobs } = await openFoundations(settings);
  try {
    await migrate(connection);
    const { log } = bareApp({ settings });
    const hub = makeHub({
      settings,
      connection,
      blobs,
      damagedBlobs: { corrupt: 0, missing: 0 },
      space: freeSpace(dataFolder(settings)),
      clock: () => new Date(),
      log,
      indexPackages: refreshSearchEntries,
    });
    const { keyid, oldKeysUntil } = await rotateSigningKey(hub);
    process.stdout.write(
      `New versions are signed with ${keyid}.\nEarlier keys expire at ${oldKeysUntil.toISOString()}; signatures made before that stay valid.\n`,
    );
  } finally {
    await connection.close();
  }
}
