import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The requests to a server, their number and their concurrency. */
export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Requests to send in this order, instead of `url` alone. */
  readonly requests?: readonly { readonly path?: string }[];
  readonly connections: number;
  readonly amount: number;
}

/** The latencies of a load in milliseconds, by percentile, and its throughput. */
export interface LoadResult {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Requests. */
  readonly perSecond: number;
}

/** Loads a server from another process. Fails if a response is not 2xx. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const generator = fork(join(import.meta.dirname, "load-process.ts"));
  generator.send(load);
  const [result] = (await once(generator, "message")) as [
    LoadResult | { readonly problem: string },
  ];
  generator.kill();
  if ("problem" in result) throw new Error(`Loading ${load.url} failed: ${result.problem}`);
  return result;
}
