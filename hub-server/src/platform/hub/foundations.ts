import { join, resolve } from "node:path";

import type { BlobStore } from "../blobs/blob-store.ts";
import type { Settings } from "../config/settings.ts";
import type { Connection } from "../database/connect.ts";

/** What a hub stands on; tests bring their own database. */
export interface Foundations {
  readonly connection: Connection;
  readonly blobs: BlobStore;
  readonly clock?: () => Date;
}

/** Opens what the settings name. What they do not name is not loaded. */
export async function openFoundations({
  DATABASE_URL,
  DATABASE_CONNECTIONS,
  HUB_BLOBS,
  HUB_DATA,
}: Settings): Promise<Foundations> {
  const folder = resolve(HUB_DATA);
  // The database last: what is open already would keep a process that cannot start from ending.
  const blobs = await openBlobs();
  return { connection: await openConnection(), blobs };

  async function openConnection(): Promise<Connection> {
    const { connectEmbedded, connectServer } = await import("../database/connect.ts");
    if (DATABASE_URL !== undefined) return await connectServer(DATABASE_URL, DATABASE_CONNECTIONS);
    const { lockFolder } = await import("../database/folder-lock.ts");
    const { openEmbedded } = await import("../database/embedded.ts");
    const unlock = await lockFolder(folder);
    const connection = await connectEmbedded(await openEmbedded(join(folder, "database")));
    return { ...connection, close: () => connection.close().finally(unlock) };
  }

  async function openBlobs(): Promise<BlobStore> {
    if (HUB_BLOBS !== undefined) return (await import("../blobs/s3.ts")).s3Blobs(HUB_BLOBS);
    return await (await import("../blobs/files.ts")).fileBlobs(join(folder, "blobs"));
  }
}
