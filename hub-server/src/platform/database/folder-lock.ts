import { ConfigError } from "@envs/core";
import { lockRun } from "@envs/records/node";

import { CommandError } from "../errors/hub-error.ts";
import { makeFolder } from "../files/durable.ts";

/** Locks a data folder, because two processes cannot share the embedded database. Returns a function that unlocks it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await makeFolder(folder);
  try {
    return await lockRun(folder);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandError(
      `Another hub is running in ${folder}. Stop it, use another folder (--data), or share a PostgreSQL server (DATABASE_URL).`,
    );
  }
}
