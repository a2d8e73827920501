import { readFileSync } from "node:fs";
import { join } from "node:path";

import { cacheFolder as cacheOf, readChecked, sha256, version } from "@envs/sandbox/pyodide";

import { program } from "./program.ts";
import { wheels } from "./wheels.ts";

/** The file with the hash of the snapshot. It is written last, so that it marks a complete installation. */
export const checksumFile = "snapshot.sha256";
export const snapshotFile = "snapshot.zst";

const remedy = "Run: envs sandbox maths";

/** The folder of this version of Math-Verify, Pyodide and our program. */
export function cacheFolder(): string {
  const parts = JSON.stringify([version, wheels, program]);
  return join(cacheOf("math-verify"), sha256(Buffer.from(parts)).slice(0, 16));
}

/** Reads the wheels of a folder, by file name. Throws if one is not that which this version was written for. */
export function readWheels(folder: string): ReadonlyMap<string, Uint8Array> {
  return new Map(
    wheels.map(({ file, sha256: expected }) => [
      file,
      readChecked(join(folder, file), { sha256: expected, remedy }),
    ]),
  );
}

/** Reads the snapshot as it is on disk, compressed. */
export function readSnapshot(folder: string): Uint8Array {
  const expected = readFileSync(join(folder, checksumFile), "utf8");
  return readChecked(join(folder, snapshotFile), { sha256: expected, remedy });
}
