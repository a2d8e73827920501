import type { RunUpload } from "@envs/hub-client";

import type { PlayedPackage } from "../runs/run-connection.ts";

/** A saved run, ready to push to the hub that has its package. */
export interface LocalRun {
  readonly package: PlayedPackage;
  readonly rollouts: number;
  /** The description without the fields that the hub adds. */
  readonly upload: Omit<RunUpload, "package" | "version" | "integrity" | "contentHash">;
  /** The lines of a part, or the bytes of a file. */
  readonly contentOf: (part: number) => string | Promise<Uint8Array>;
}
