import { createHash } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

import { extract, pack, type Pack } from "tar-stream";

import { type BlobStore, matches } from "../platform/blobs/blob-store.ts";
import { CommandError } from "../platform/errors/hub-error.ts";

/** Reads a backup: verifies each blob's hash, streams the blobs into the store, and returns the database dump. */
export async function readBackup(
  source: Readable,
  blobs: BlobStore,
): Promise<{ database: Uint8Array<ArrayBuffer>; blobs: number }> {
  const archive = extract();
  const backup: { format?: unknown; database?: Uint8Array<ArrayBuffer>; blobs: number } = {
    blobs: 0,
  };
  const read = async (): Promise<void> => {
    for await (const entry of archive) {
      const bytes = await buffer(entry);
      const { name } = entry.header;
      if (name === "backup.json") backup.format = JSON.parse(bytes.toString());
      else if (name === "database.tar.gz") backup.database = new Uint8Array(bytes);
      else if (name.startsWith("blobs/")) {
        await blobs.put(checked(name.slice("blobs/".length), bytes), bytes);
        backup.blobs += 1;
      }
    }
  };
  await Promise.all([pipeline(source, archive), read()]).catch((error: unknown) => {
    throw error instanceof CommandError
      ? error
      : new CommandError(`The file is not a complete backup: ${(error as Error).message}`);
  });
  if (
    JSON.stringify(backup.format) !== JSON.stringify(backupFormat) ||
    backup.database === undefined
  )
    throw new CommandError(
      "The file is not a complete backup of a hub. Create one with: envs-hub backup <file>",
    );
  return { database: backup.database, blobs: backup.blobs };
}

function checked(key: string, bytes: Uint8Array): string {
  if (createHash("sha512").update(bytes).digest("hex") === key) return key;
  throw new CommandError(
    `The backup is damaged: the blob ${key.slice(0, 16)}… does not match its hash. Use another backup.`,
  );
}

/** The content of `backup.json`. */
const backupFormat = { format: "envs-hub-backup", version: 1 } as const;

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
