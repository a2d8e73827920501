import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The requests to a server, their number and their concurrency. */
export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked one after the other, instead of `url` alone. */
  readonly requests?: readonly { readonly path?: string }[];
  readonly connections: number;
  readonly amount: number;
}

/** How a server bore a load: the milliseconds in which half, 95 % and 99 % of the requests were answered. */
export interface Borne {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** Puts load on a server from another process. Fails if a response is not 200. */
export async function load(asked: Load): Promise<Borne> {
  const generator = fork(join(import.meta.dirname, "load-process.ts"));
  generator.send(asked);
  const [borne] = (await once(generator, "message")) as [Borne | { readonly problem: string }];
  generator.kill();
  if ("problem" in borne) throw new Error(`${asked.url}: ${borne.problem}`);
  return borne;
}
