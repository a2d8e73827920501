import { mkdir } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import { lockRun } from "@envs/core/node";

import { CommandError } from "../errors/command-error.ts";

/** Makes this process the only one in a data folder: the embedded database cannot be shared. Returns what gives it up. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  try {
    return await lockRun(folder);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandError(
      `Another hub is running in ${folder}. Stop it first, use another folder (--data), or let both share a PostgreSQL (DATABASE_URL).`,
    );
  }
}
