import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

import { extract } from "tar-stream";

import type { BlobStore } from "../platform/blobs/blob-store.ts";
import { CommandError } from "../platform/errors/command-error.ts";
import { backupFormat } from "./write-backup.ts";

/** Reads a backup: blobs go to the store as they come, each compared with its name; the database comes back whole. */
export async function readBackup(
  source: Readable,
  blobs: BlobStore,
): Promise<{ database: Uint8Array<ArrayBuffer>; blobs: number }> {
  const archive = extract();
  const found: { format?: unknown; database?: Uint8Array<ArrayBuffer>; blobs: number } = {
    blobs: 0,
  };
  const read = async (): Promise<void> => {
    for await (const entry of archive) {
      const bytes = await buffer(entry);
      const { name } = entry.header;
      if (name === "backup.json") found.format = JSON.parse(bytes.toString());
      else if (name === "database.tar.gz") found.database = new Uint8Array(bytes);
      else if (name.startsWith("blobs/")) {
        await blobs.put(checked(name.slice("blobs/".length), bytes), bytes);
        found.blobs += 1;
      }
    }
  };
  await Promise.all([pipeline(source, archive), read()]).catch((error: unknown) => {
    throw error instanceof CommandError
      ? error
      : new CommandError(`This is no backup, or not all of one: ${(error as Error).message}`);
  });
  if (JSON.stringify(found.format) !== JSON.stringify(backupFormat) || found.database === undefined)
    throw new CommandError(
      "This is no backup of a hub, or not all of one. Make one with: envs-hub backup <file>",
    );
  return { database: found.database, blobs: found.blobs };
}

function checked(key: string, bytes: Uint8Array): string {
  if (createHash("sha512").update(bytes).digest("hex") === key) return key;
  throw new CommandError(
    `The backup is damaged: the blob ${key.slice(0, 16)}… has other bytes than were saved. Take another backup.`,
  );
}
