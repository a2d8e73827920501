import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";

import { writeBackup } from "../operations/backup.ts";
import { type DamagedBlob, verifyBlobs } from "../operations/verify-blobs.ts";
import { bytesText } from "../pages/package/package-view.ts";
import { fileBlobs } from "../platform/blobs/files.ts";
import { connectEmbedded } from "../platform/database/connect.ts";
import { openEmbedded } from "../platform/database/embedded.ts";
import { lockFolder } from "../platform/database/folder-lock.ts";
import { CommandError } from "../platform/errors/hub-error.ts";
import { renameDurably } from "../platform/files/durable.ts";
import { embeddedFolder } from "./data-folder.ts";
import { lines } from "./verify.ts";

/** Saves a data folder to a file. The file appears only when it is complete. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { data: { type: "string" } },
  });
  const [file] = positionals;
  if (file === undefined)
    throw new CommandError(
      "Missing argument: the file to write. Example: envs-hub backup hub.backup",
    );
  const folder = embeddedFolder(values.data);
  const unlock = await lockFolder(folder);
  const temporary = `${resolve(file)}.incoming`;
  let damaged: readonly DamagedBlob[] = [];
  try {
    const blobs = await fileBlobs(join(folder, "blobs"));
    const database = await openEmbedded(join(folder, "database"));
    const dump = async (): Promise<Uint8Array> =>
      new Uint8Array(await (await database.dumpDataDir("gzip")).arrayBuffer());
    await pipeline(writeBackup(dump, blobs), createWriteStream(temporary, { flush: true }));
    const connection = await connectEmbedded(database);
    damaged = (await verifyBlobs({ database: connection.database, blobs })).damaged;
    await connection.close();
    await renameDurably(temporary, resolve(file));
  } finally {
    await rm(temporary, { force: true });
    await unlock();
  }
  const { size } = await stat(file);
  process.stdout.write(`Saved ${folder} to ${file} (${bytesText(size)}).\n`);
  if (damaged.length === 0) return;
  process.stderr.write(
    `The backup lacks the files of these versions and runs:\n${lines(damaged)}Repair them, then save again: envs-hub verify --repair-from <another hub>\n`,
  );
  process.exitCode = 1;
}
