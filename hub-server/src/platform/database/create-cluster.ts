import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

import { PGlite } from "@electric-sql/pglite";
import { extract } from "tar-stream";

import { makeFolder, renameDurably, syncFolder, writeFileDurably } from "../files/durable.ts";
import { migrations } from "./migrate.ts";

/**
 * The cluster that the build writes, with the tables of a new hub, so that its first start is fast. The name contains a hash of the
 * migrations: a hub does not start from the cluster of an earlier build with others.
 */
export async function builtCluster(): Promise<string> {
  const hash = createHash("sha256");
  for (const migration of await migrations()) hash.update(migration.hash);
  const name = `cluster-${hash.digest("hex").slice(0, 16)}.tar.gz`;
  return join(import.meta.dirname, "../../../dist", name);
}

/** Returns a dump (tar.gz) from which new databases start: the build's, or one without tables. */
export async function readCluster(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(await builtCluster()).catch(emptyCluster));
}

/** Runs initdb, which takes a second instance of PostgreSQL, several seconds and hundreds of megabytes. */
export async function emptyCluster(): Promise<Uint8Array<ArrayBuffer>> {
  const database = await PGlite.create();
  const dump = await database.dumpDataDir("gzip");
  await database.close();
  return new Uint8Array(await dump.arrayBuffer());
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
