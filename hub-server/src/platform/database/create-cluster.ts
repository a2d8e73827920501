import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

import { PGlite } from "@electric-sql/pglite";
import { extract } from "tar-stream";

import { makeFolder, renameDurably, syncFolder, writeFileDurably } from "../files/durable.ts";

/** Written by the build, so that the first start of a hub is fast. */
const emptyCluster = join(import.meta.dirname, "../../../dist/cluster.tar.gz");

/** Returns a dump (tar.gz) of a cluster without tables, from which new databases start. */
export async function readEmptyCluster(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(emptyCluster).catch(initialize));
}

/** Runs initdb, which takes a second instance of PostgreSQL, several seconds and hundreds of megabytes. */
export async function initialize(): Promise<ArrayBuffer> {
  const database = await PGlite.create();
  const dump = await database.dumpDataDir("gzip");
  await database.close();
  return await dump.arrayBuffer();
}

/**
 * Unpacks a dump (tar.gz) of a cluster into a new folder. The folder appears only when all of its files are on the disk, so that
 * a power failure cannot leave half a database.
 */
export async function createCluster(
  folder: string,
  dump: () => Promise<Uint8Array>,
): Promise<void> {
  const incoming = join(dirname(folder), `${basename(folder)}.incoming`);
  await rm(incoming, { recursive: true, force: true });
  try {
    await unpack(await dump(), incoming);
    await renameDurably(incoming, folder);
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

async function unpack(dump: Uint8Array, folder: string): Promise<void> {
  await makeFolder(folder);
  const folders = new Set([folder]);
  const archive = extract();
  const write = async (): Promise<void> => {
    for await (const entry of archive) {
      // The names in the archive begin with a slash. A normalized absolute path cannot leave the folder.
      const path = join(folder, normalize(`/${entry.header.name}`));
      // Starts to read before any other wait: an empty entry ends at once, and cannot be read afterwards.
      const bytes = await buffer(entry);
      if (entry.header.type === "directory") {
        await makeFolder(path);
        folders.add(path);
      } else {
        await writeFileDurably(path, bytes);
      }
    }
  };
  await Promise.all([pipeline(Readable.from([dump]), createGunzip(), archive), write()]);
  for (const path of folders) await syncFolder(path);
}
