import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { readSettings } from "../platform/config/read-settings.ts";
import type { Settings } from "../platform/config/settings.ts";
import { CommandError } from "../platform/errors/hub-error.ts";

/** Options of the command line that override environment variables. */
interface Overrides {
  readonly data?: string | undefined;
  readonly port?: string | undefined;
  readonly host?: string | undefined;
}

/** Reads the settings from environment variables and the options of the command line. */
export function commandSettings({ data, port, host }: Overrides): Settings {
  const { HUB_DATA, HUB_PORT, HUB_HOST } = process.env;
  return readSettings({
    ...process.env,
    HUB_DATA: data ?? HUB_DATA,
    HUB_PORT: port ?? HUB_PORT,
    HUB_HOST: host ?? HUB_HOST,
  });
}

/** Returns the absolute path of an embedded hub's data folder. Throws if the settings name a PostgreSQL server. */
export function embeddedFolder(data: string | undefined): string {
  const { HUB_DATA, DATABASE_URL } = commandSettings({ data });
  if (DATABASE_URL !== undefined)
    throw new CommandError(
      "DATABASE_URL is set, but this command only saves an embedded database. Back up PostgreSQL with pg_dump and the blobs with the tools of their store.",
    );
  return requireDataFolder(HUB_DATA);
}

/** Returns the absolute path of a data folder. Throws if it does not contain a database. */
export function requireDataFolder(data: string): string {
  const folder = resolve(data);
  if (existsSync(join(folder, "database"))) return folder;
  throw new CommandError(
    `${folder} is not the data folder of a hub. Pass --data <folder> with the folder of an existing hub.`,
  );
}
