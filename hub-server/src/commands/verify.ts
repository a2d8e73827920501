import { parseArgs } from "node:util";

import { correctTotals } from "../operations/storage-totals.ts";
import { type DamagedBlob, verifyBlobs } from "../operations/verify-blobs.ts";
import { bytesText } from "../pages/package/package-view.ts";
import { migrate } from "../platform/database/migrate.ts";
import { openFoundations } from "../platform/hub/foundations.ts";
import { commandSettings, requireDataFolder } from "./data-folder.ts";

/** Verifies the hash of every tarball and of every part of a run, and corrects the storage of accounts. Replicas may run meanwhile; a hub with an embedded database must be stopped. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: "string" }, "repair-from": { type: "string" } },
  });
  const settings = commandSettings({ data: values.data });
  if (settings.DATABASE_URL === undefined) requireDataFolder(settings.HUB_DATA);
  const { connection, blobs } = await openFoundations(settings);
  try {
    await migrate(connection);
    for (const { name, total, bytes } of await correctTotals(connection))
      process.stdout.write(`Corrected the storage of ${name}: ${bytes} bytes, not ${total}.\n`);
    const source = values["repair-from"];
    const result = await verifyBlobs({ database: connection.database, blobs }, { source });
    process.stdout.write(
      `${result.blobs} tarballs and parts of runs (${bytesText(result.bytes)}) are intact.\n`,
    );
    if (result.repaired.length > 0)
      process.stdout.write(`Repaired from ${source}:\n${lines(result.repaired)}`);
    if (result.damaged.length === 0) return;
    process.stdout.write(`Damaged:\n${lines(result.damaged)}`);
    process.stderr.write(
      "Corrupt files are in quarantine. Repair tarballs from a hub that has the same versions: envs-hub verify --repair-from <url>\n",
    );
    process.exitCode = 1;
  } finally {
    await connection.close();
  }
}

/** One line for each damaged blob. */
export function lines(damaged: readonly DamagedBlob[]): string {
  return damaged
    .map(
      ({ name, version, run, damage, blob }) =>
        `  ${damage}  ${name}@${version}${run === undefined ? "" : ` run ${run}`}  ${blob.slice(0, 16)}…\n`,
    )
    .join("");
}
