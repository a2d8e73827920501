import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Settings } from "../../platform/config/settings.ts";
import { CommandError } from "../../platform/errors/hub-error.ts";
import { dataFolder, type Foundations, openFoundations } from "../../platform/hub/foundations.ts";
import { checkDatabase } from "./check-database.ts";
import { checkMail } from "./check-mail.ts";
import { checkMirrors } from "./check-mirrors.ts";
import { checkProviders, checkSandbox, checkUpstreams } from "./check-services.ts";
import { checkSettings } from "./check-settings.ts";
import { checkBlobs, checkDisk } from "./check-storage.ts";
import { checkUrl } from "./check-url.ts";
import { failure, type Finding, ok } from "./finding.ts";

/** Runs all checks of `envs-hub doctor`. They leave no changes, and the hub may run meanwhile. */
export async function examine(settings: Settings): Promise<readonly Finding[]> {
  const runtime = ok("runtime", `Node ${process.version} on ${process.platform} ${process.arch}`);
  return [
    runtime,
    ...(await checkSettings(settings)),
    ...(await checkFoundations(settings)),
    ...(await checkDisk(dataFolder(settings))),
    ...(await checkUrl(settings)),
    ...(await checkUpstreams(settings)),
    ...(await checkProviders(settings)),
    ...(await checkMail(settings)),
    ...(await checkSandbox(settings)),
  ];
}

async function checkFoundations(settings: Settings): Promise<readonly Finding[]> {
  const { DATABASE_URL, HUB_DATA } = settings;
  if (DATABASE_URL === undefined && !existsSync(join(HUB_DATA, "database")))
    return [ok("database", `the first start creates an embedded one in ${resolve(HUB_DATA)}`)];
  let foundations: Foundations;
  try {
    foundations = await openFoundations(settings);
  } catch (error) {
    // The lock of a data folder.
    if (error instanceof CommandError)
      return [ok("database", "a running hub uses the embedded database, so it was not checked")];
    const { message } = error as Error;
    return [failure("storage", message, "Check HUB_DATA, DATABASE_URL and HUB_BLOBS.")];
  }
  const { connection, blobs } = foundations;
  try {
    const database = await checkDatabase(connection);
    const isMigrated = database.some(
      ({ check, level }) => check === "migrations" && level === "ok",
    );
    const mirrors = isMigrated ? await checkMirrors(connection.database, settings) : [];
    return [...database, ...(await checkBlobs(blobs)), ...mirrors];
  } finally {
    await connection.close();
  }
}
