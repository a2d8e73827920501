import type { Rollout } from "@envs/core";

import type { Metadata } from "../metadata.ts";

/** A run on disk. */
export interface StoredRun {
  readonly path: string;
  readonly metadata: Metadata;
  /** If a rollout was written several times, the last version. */
  readonly rollouts: readonly Rollout[];
  /** The lines that are not rollouts. Resuming the run plays their rollouts again. */
  readonly problems: readonly UnreadableLine[];
}

/** A line of `results.jsonl` that is not a rollout. */
export interface UnreadableLine {
  readonly line: number;
  readonly problem: string;
}
