import { once } from "node:events";
import { Readable } from "node:stream";

import { pack, type Pack } from "tar-stream";

import type { BlobStore } from "../platform/blobs/blob-store.ts";
import { matches } from "../platform/blobs/verified.ts";

/** The content of `backup.json`. */
export const backupFormat = { format: "envs-hub-backup", version: 1 } as const;

/** Writes a backup as a tar stream: a dump of the database, then every intact blob. */
export function writeBackup(dump: () => Promise<Uint8Array>, blobs: BlobStore): Readable {
  const archive = pack();
  void fill(archive, { dump, blobs }).catch((error: unknown) => archive.destroy(error as Error));
  return Readable.from(archive);
}

async function fill(
  archive: Pack,
  { dump, blobs }: { dump: () => Promise<Uint8Array>; blobs: BlobStore },
): Promise<void> {
  await add(archive, "backup.json", Buffer.from(JSON.stringify(backupFormat)));
  // Reads blobs after the dump, which misses none: blobs never change and are written before the rows that reference them.
  await add(archive, "database.tar.gz", await dump());
  for await (const { key } of blobs.list()) {
    const bytes = await blobs.get(key);
    if (bytes !== undefined && matches(key, bytes)) await add(archive, `blobs/${key}`, bytes);
  }
  archive.finalize();
}

async function add(archive: Pack, name: string, bytes: Uint8Array): Promise<void> {
  const entry = archive.entry({ name, size: bytes.byteLength });
  entry.end(bytes);
  await once(entry, "finish");
}
