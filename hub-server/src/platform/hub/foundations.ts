import { join, resolve } from "node:path";

import type { BlobStore } from "../blobs/blob-store.ts";
import type { Settings } from "../config/settings.ts";
import type { DatabaseConnection } from "../database/connect.ts";

/** The database and the blob store of a hub. Tests pass their own. */
export interface Foundations {
  readonly connection: DatabaseConnection;
  readonly blobs: BlobStore;
  readonly clock?: () => Date;
}

/** The folder of the embedded database and the blobs; `undefined` if both are elsewhere. */
export function dataFolder({ DATABASE_URL, HUB_BLOBS, HUB_DATA }: Settings): string | undefined {
  return DATABASE_URL === undefined || HUB_BLOBS === undefined ? resolve(HUB_DATA) : undefined;
}

/** Opens the database and the blob store that the settings name, and loads only their code. */
export async function openFoundations({
  DATABASE_URL,
  DATABASE_CONNECTIONS,
  HUB_BLOBS,
  HUB_DATA,
}: Settings): Promise<Foundations> {
  const folder = resolve(HUB_DATA);
  // Opens the database last: an open one would keep the process alive if the blob store failed.
  const blobs = await openBlobs();
  return { connection: await openConnection(), blobs };

  async function openConnection(): Promise<DatabaseConnection> {
    const { connectEmbedded, connectServer } = await import("../database/connect.ts");
    if (DATABASE_URL !== undefined) return await connectServer(DATABASE_URL, DATABASE_CONNECTIONS);
    const { lockFolder } = await import("../database/folder-lock.ts");
    const { openEmbedded } = await import("../database/embedded.ts");
    const unlock = await lockFolder(folder);
    try {
      const connection = await connectEmbedded(await openEmbedded(join(folder, "database")));
      return { ...connection, close: () => connection.close().finally(unlock) };
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  async function openBlobs(): Promise<BlobStore> {
    if (HUB_BLOBS !== undefined) return (await import("../blobs/s3.ts")).s3Blobs(HUB_BLOBS);
    return await (await import("../blobs/files.ts")).fileBlobs(join(folder, "blobs"));
  }
}
