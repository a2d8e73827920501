import { parseArgs } from "node:util";

import { sweepBlobs } from "../operations/sweep-blobs.ts";
import { bytesText } from "../pages/package/package-view.ts";
import type { BlobTotals } from "../platform/blobs/blob-store.ts";
import { migrate } from "../platform/database/migrate.ts";
import { openFoundations } from "../platform/hub/foundations.ts";
import { commandSettings, requireDataFolder } from "./data-folder.ts";

/** Deletes unreferenced blobs. Replicas may publish meanwhile; a hub with an embedded database must be stopped. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: "string" }, "dry-run": { type: "boolean", default: false } },
  });
  const isDry = values["dry-run"];
  const settings = commandSettings({ data: values.data });
  if (settings.DATABASE_URL === undefined) requireDataFolder(settings.HUB_DATA);
  const { connection, blobs } = await openFoundations(settings);
  try {
    await migrate(connection);
    const { database } = connection;
    const totals = await sweepBlobs({ database, blobs, clock: () => new Date() }, { isDry });
    process.stdout.write(
      `${isDry ? "Would delete" : "Deleted"} ${format(totals.blobs, "unreferenced blobs")} and ${format(totals.unfinished, "unfinished files")}.\n${isDry ? "Would keep" : "Kept"} ${format(totals.kept, "blobs")}.\n`,
    );
  } finally {
    await connection.close();
  }
}

function format({ count, bytes }: BlobTotals, noun: string): string {
  return `${count} ${noun} (${bytesText(bytes)})`;
}
