import type { KeyedExample } from "@envs/core/engine";

import type { Group } from "../queue.ts";

/** The data of a job. The example is text, because jsonb changes the order of keys and rejects U+0000. */
export interface JobData {
  readonly example: string;
  readonly block: number;
  readonly rolloutIndices: readonly number[];
  /** Whether it was one before a worker gave it back. Default false. */
  readonly isSuspect?: boolean;
}

export function jobData({ example, block, rolloutIndices }: Group, isSuspect = false): JobData {
  const data = { example: JSON.stringify(example), block, rolloutIndices };
  return isSuspect ? { ...data, isSuspect } : data;
}

export function groupOf({ example, block, rolloutIndices }: JobData): Group {
  return { example: JSON.parse(example) as KeyedExample, block, rolloutIndices };
}
