import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

import { extract } from "tar-stream";

import type { BlobStore } from "../platform/blobs/blob-store.ts";
import { CommandError } from "../platform/errors/command-error.ts";
import { backupFormat } from "./write-backup.ts";

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
