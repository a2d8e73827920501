import { parseArgs } from "node:util";

import { sweepBlobs } from "../operations/sweep-blobs.ts";
import type { BlobTotals } from "../platform/blobs/blob-store.ts";
import { readSettings } from "../platform/config/read-settings.ts";
import { migrate } from "../platform/database/migrate.ts";
import { openFoundations } from "../platform/hub/foundations.ts";
import { requireHubIn } from "./embedded-folder.ts";

/** Removes the blobs that nothing names. Replicas may publish meanwhile; an embedded hub must be stopped. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: "string" }, "dry-run": { type: "boolean", default: false } },
  });
  const isDry = values["dry-run"];
  const settings = readSettings({
    ...process.env,
    ...(values.data === undefined ? {} : { HUB_DATA: values.data }),
  });
  if (settings.DATABASE_URL === undefined) requireHubIn(settings.HUB_DATA);
  const { connection, blobs } = await openFoundations(settings);
  try {
    await migrate(connection);
    const { database } = connection;
    const swept = await sweepBlobs({ database, blobs, clock: () => new Date() }, { isDry });
    process.stdout.write(
      `${isDry ? "Would remove" : "Removed"} ${said(swept.blobs, "blobs that nothing names")} and ${said(swept.unfinished, "unfinished files")}.\n${isDry ? "Would keep" : "Kept"} ${said(swept.kept, "blobs")}.\n`,
    );
  } finally {
    await connection.close();
  }
}

function said({ count, bytes }: BlobTotals, what: string): string {
  return `${count} ${what} (${(bytes / 1e6).toFixed(1)} MB)`;
}
