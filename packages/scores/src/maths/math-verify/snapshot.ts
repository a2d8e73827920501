import { zstdCompressSync } from "node:zlib";

import { readWheels } from "./cache.ts";
import { takeSnapshot } from "./python.ts";

/** Starts Python with the wheels of a folder and returns its memory, compressed. */
export async function snapshotOf(folder: string): Promise<Uint8Array> {
  return zstdCompressSync(await takeSnapshot(readWheels(folder)));
}
