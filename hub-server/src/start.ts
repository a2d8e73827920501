import { join, resolve } from "node:path";

import { bareApp, registerRoutes } from "./app.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { Settings } from "./config/settings.ts";
import { packageChannel } from "./database/change.ts";
import { type Connection } from "./database/connect.ts";
import { migrate } from "./database/migrate.ts";
import type { Hub } from "./hub.ts";
import { startDeliveries } from "./webhooks/deliver.ts";

/** A hub that answers. */
export interface RunningHub extends AsyncDisposable {
  readonly url: string;
  readonly hub: Hub;
  /** Lets open requests end, then closes the database. */
  close(): Promise<void>;
}

/** What a hub stands on; tests bring their own database. */
export interface Foundations {
  readonly connection: Connection;
  readonly blobs: BlobStore;
  readonly clock?: () => Date;
}

/** Starts a hub: opens what the settings name, migrates, listens. */
export async function startHub(settings: Settings, foundations?: Foundations): Promise<RunningHub> {
  const {
    connection,
    blobs,
    clock = () => new Date(),
  } = foundations ?? (await openFoundations(settings));
  const app = bareApp({ settings });
  const drops: ((name: string | undefined) => void)[] = [];
  const hearers: (() => void)[] = [];
  const forget = (name: string | undefined): void => drops.forEach((drop) => drop(name));
  const hub: Hub = {
    settings,
    connection,
    database: connection.database,
    blobs,
    clock,
    log: app.log,
    forget,
    onForget: (drop) => void drops.push(drop),
    told: () => hearers.forEach((hear) => hear()),
    onTold: (hear) => void hearers.push(hear),
  };
  try {
    await migrate(connection);
    await blobs.check();
    await connection.listen(packageChannel, { message: forget, lost: () => forget(undefined) });
    await registerRoutes(app, hub);
    const listening = await app.listen({
      port: settings.HUB_PORT,
      host: settings.HUB_HOST,
      listenTextResolver: (address) => `listening at ${address}`,
    });
    const url =
      settings.HUB_HOST === "localhost" ? `http://localhost:${new URL(listening).port}` : listening;
    const deliveries = startDeliveries(hub);
    const close = async (): Promise<void> => {
      await app.close();
      await deliveries.stop();
      await connection.close();
    };
    return { url: settings.HUB_URL ?? url, hub, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function openFoundations({
  DATABASE_URL,
  DATABASE_CONNECTIONS,
  HUB_BLOBS,
  HUB_DATA,
}: Settings): Promise<Foundations> {
  const folder = resolve(HUB_DATA);
  return { connection: await openConnection(), blobs: await openBlobs() };

  async function openConnection(): Promise<Connection> {
    const { connectEmbedded, connectServer } = await import("./database/connect.ts");
    if (DATABASE_URL !== undefined) return await connectServer(DATABASE_URL, DATABASE_CONNECTIONS);
    const { lockFolder } = await import("./database/folder-lock.ts");
    const { openEmbedded } = await import("./database/embedded.ts");
    const unlock = await lockFolder(folder);
    const connection = await connectEmbedded(await openEmbedded(join(folder, "database")));
    return { ...connection, close: () => connection.close().finally(unlock) };
  }

  async function openBlobs(): Promise<BlobStore> {
    if (HUB_BLOBS !== undefined) return (await import("./blobs/s3.ts")).s3Blobs(HUB_BLOBS);
    return await (await import("./blobs/files.ts")).fileBlobs(join(folder, "blobs"));
  }
}
