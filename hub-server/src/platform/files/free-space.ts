import { statfs } from "node:fs/promises";

import { diskFull } from "../errors/hub-error.ts";

/** The bytes that stay free on the disk of the data folder, because PostgreSQL stops if it cannot add a log file of 16 MiB. */
const reservedBytes = 48 * 2 ** 20;

/** Checks the free space of the disk that the hub writes to. */
export interface FreeSpace {
  /** Throws `disk-full` if a change may not fit. */
  require(): Promise<void>;
  isLow(): Promise<boolean>;
}

/** For a hub with files in `folder`; `undefined` if its data is elsewhere. */
export function freeSpace(folder: string | undefined): FreeSpace {
  const isLow = async (): Promise<boolean> => {
    if (folder === undefined) return false;
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < reservedBytes;
  };
  return {
    isLow,
    async require() {
      if (await isLow()) throw diskFull();
    },
  };
}
