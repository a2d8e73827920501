import { createReadStream, existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { readBackup } from "../operations/read-backup.ts";
import { fileBlobs } from "../platform/blobs/files.ts";
import { connectEmbedded } from "../platform/database/connect.ts";
import { openEmbedded } from "../platform/database/embedded.ts";
import { migrate } from "../platform/database/migrate.ts";
import { CommandError } from "../platform/errors/command-error.ts";
import { makeFolder, renameDurably } from "../platform/files/durable.ts";
import { commandSettings } from "./data-folder.ts";

/** Restores a backup into a new data folder. The folder appears only when its content is complete and consistent. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { data: { type: "string" } },
  });
  const [file] = positionals;
  if (file === undefined || !existsSync(file))
    throw new CommandError(
      `${file === undefined ? "Missing argument: the backup to restore" : `The file ${file} does not exist`}. Example: envs-hub restore hub.backup --data <folder>`,
    );
  const { HUB_DATA } = commandSettings({ data: values.data });
  const folder = resolve(HUB_DATA);
  if (existsSync(folder))
    throw new CommandError(`${folder} exists. Choose a folder that does not: --data <folder>`);
  const incoming = `${folder}.incoming`;
  await rm(incoming, { recursive: true, force: true });
  await makeFolder(incoming);
  try {
    const { versions, blobs } = await fill(incoming, file);
    await renameDurably(incoming, folder);
    process.stdout.write(
      `Restored ${versions} versions and ${blobs} blobs to ${folder}.\nStart the hub with: envs-hub start --data ${HUB_DATA}\n`,
    );
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

async function fill(folder: string, file: string): Promise<{ versions: number; blobs: number }> {
  const store = await fileBlobs(join(folder, "blobs"));
  const { database: dump, blobs } = await readBackup(createReadStream(file), store);
  const pglite = await openEmbedded(join(folder, "database"), async () => dump);
  const connection = await connectEmbedded(pglite);
  try {
    await migrate(connection);
    const rows = await connection.database
      .selectFrom("versions")
      .select("blob")
      .where("unpublished_at", "is", null)
      .execute();
    const present = await Promise.all(rows.map(({ blob }) => store.has(blob)));
    const missing = present.filter((isPresent) => !isPresent).length;
    if (missing > 0)
      throw new CommandError(
        `The backup lacks the tarballs of ${missing} versions. Restore another backup.`,
      );
    return { versions: rows.length, blobs };
  } finally {
    await connection.close();
  }
}
