import { createReadStream, existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { readBackup } from "../operations/backup.ts";
import { type Verification, verifyBlobs } from "../operations/verify-blobs.ts";
import { fileBlobs } from "../platform/blobs/files.ts";
import { connectEmbedded } from "../platform/database/connect.ts";
import { openEmbedded } from "../platform/database/embedded.ts";
import { migrate } from "../platform/database/migrate.ts";
import { CommandError } from "../platform/errors/hub-error.ts";
import { makeFolder, renameDurably } from "../platform/files/durable.ts";
import { commandSettings } from "./data-folder.ts";
import { lines } from "./verify.ts";

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
    const { damaged, blobs } = await fill(incoming, file);
    await renameDurably(incoming, folder);
    process.stdout.write(
      `Restored the database and ${blobs} blobs to ${folder}.\nStart the hub with: envs-hub start --data ${HUB_DATA}\n`,
    );
    if (damaged.length === 0) return;
    process.stderr.write(
      `The backup lacks the files of these versions and runs:\n${lines(damaged)}Repair them: envs-hub verify --repair-from <another hub> --data ${HUB_DATA}\n`,
    );
    process.exitCode = 1;
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

async function fill(
  folder: string,
  file: string,
): Promise<Pick<Verification, "damaged"> & { blobs: number }> {
  const store = await fileBlobs(join(folder, "blobs"));
  const { database: dump, blobs } = await readBackup(createReadStream(file), store);
  const pglite = await openEmbedded(join(folder, "database"), async () => dump);
  const connection = await connectEmbedded(pglite);
  try {
    await migrate(connection);
    const { damaged } = await verifyBlobs({ database: connection.database, blobs: store });
    return { damaged, blobs };
  } finally {
    await connection.close();
  }
}
