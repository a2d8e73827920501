import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { readSettings } from "../platform/config/read-settings.ts";
import { CommandError } from "../platform/errors/command-error.ts";

/** The data folder of an embedded hub that was started before. */
export async function embeddedFolder(given: string | undefined): Promise<string> {
  const { HUB_DATA, DATABASE_URL } = readSettings({
    ...process.env,
    ...(given === undefined ? {} : { HUB_DATA: given }),
  });
  if (DATABASE_URL !== undefined)
    throw new CommandError(
      "DATABASE_URL is set: back up that PostgreSQL with pg_dump, and the blobs with what their store has. This command is for the embedded database.",
    );
  return requireHubIn(HUB_DATA);
}

/** The folder's whole path, if a hub was started in it. */
export function requireHubIn(data: string): string {
  const folder = resolve(data);
  if (existsSync(join(folder, "database"))) return folder;
  throw new CommandError(`${folder} holds no hub. Name its folder: --data <folder>`);
}
