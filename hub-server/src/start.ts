import { verifiedBlobs } from "./platform/blobs/blob-store.ts";
import type { Settings } from "./platform/config/settings.ts";
import { migrate } from "./platform/database/migrate.ts";
import { freeSpace } from "./platform/files/free-space.ts";
import { catchUpBeforeRequests } from "./platform/http/catch-up.ts";
import { packageChannel } from "./platform/hub/finish-changes.ts";
import { dataFolder, type Foundations, openFoundations } from "./platform/hub/foundations.ts";
import { type Hub, makeHub } from "./platform/hub/hub.ts";
import { refreshSearchEntries } from "./search/refresh.ts";

/** How long a stopping hub waits for open requests before it closes their connections. */
const closeTimeoutMs = 5000;
const hour = 3_600_000;

/** A hub that accepts requests. */
export interface RunningHub extends AsyncDisposable {
  readonly url: string;
  readonly hub: Hub;
  /** Completes open requests, waiting up to five seconds, then closes the database. */
  close(): Promise<void>;
}

/** Opens the database and the blob store of the settings, migrates the database, and listens. */
export async function startHub(settings: Settings, foundations?: Foundations): Promise<RunningHub> {
  // While the embedded database compiles on other threads, this thread loads the application.
  const application = import("./app.ts");
  // Awaited below, where a failure closes the database.
  application.catch(() => {});
  const {
    connection,
    blobs,
    clock = () => new Date(),
  } = foundations ?? (await openFoundations(settings));
  try {
    const { bareApp, registerRoutes } = await application;
    const app = bareApp({ settings });
    const damagedBlobs = { corrupt: 0, missing: 0 };
    const hub = makeHub({
      settings,
      connection,
      blobs: verifiedBlobs(blobs, (damage, blob) => {
        damagedBlobs[damage] += 1;
        app.log.error({ event: `blob.${damage}`, blob }, "a client requested a damaged tarball");
      }),
      damagedBlobs,
      space: freeSpace(dataFolder(settings)),
      clock,
      log: app.log,
      indexPackages: refreshSearchEntries,
    });
    await migrate(connection);
    await blobs.check();
    await blobs.dropUnfinished({ before: new Date(clock().getTime() - hour) });
    await connection.listen(packageChannel, {
      message: hub.invalidate,
      lost: () => hub.invalidate(undefined),
    });
    catchUpBeforeRequests(app, connection);
    await registerRoutes(app, hub);
    const listening = await app.listen({
      port: settings.HUB_PORT,
      host: settings.HUB_HOST,
      listenTextResolver: (address) => `listening at ${address}`,
    });
    const url =
      settings.HUB_HOST === "localhost" ? `http://localhost:${new URL(listening).port}` : listening;
    const close = async (): Promise<void> => {
      const timer = setTimeout(() => app.server.closeAllConnections(), closeTimeoutMs);
      await app.close();
      clearTimeout(timer);
      await connection.close();
    };
    return { url: settings.HUB_URL ?? url, hub, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
