import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { median } from "../rounds.ts";
import type { LoadResult } from "./load.ts";
import type { Publisher } from "./publishing.ts";

/** Publish documents, each sent once. */
export interface PublishLoad extends Publisher {
  readonly documents: readonly string[];
  readonly connections: number;
}

/** The times of the accepted requests and of all together, in milliseconds. */
export interface PublishTimes {
  readonly each: readonly number[];
  readonly total: number;
}

/** Publishes from another process. Fails if the registry rejects a document. */
export async function runPublishLoad(load: PublishLoad): Promise<LoadResult> {
  const generator = fork(join(import.meta.dirname, "publish-process.ts"));
  generator.send(load);
  const [result] = (await once(generator, "message")) as [
    PublishTimes | { readonly problem: string },
  ];
  generator.kill();
  if ("problem" in result) throw new Error(result.problem);
  const sorted = result.each.toSorted((a, b) => a - b);
  const percentile = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1]!;
  return {
    p50: median(sorted),
    p95: percentile(0.95),
    p99: percentile(0.99),
    perSecond: (sorted.length * 1000) / result.total,
  };
}
