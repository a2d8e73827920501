import { availableParallelism } from "node:os";

import type { Environment } from "@envs/core";

import { type EnvironmentReference, loadReference } from "./environment-reference.ts";
import type { EpisodeHost } from "./episode-host.ts";
import { type HostedEnvironment, inlineHost } from "./inline-host.ts";
import { ThreadPool } from "./thread-pool.ts";
import { ThreadedHost } from "./threaded-host.ts";

/** An environment object runs in this thread; a reference can be loaded in others. */
export type Servable = Environment | HostedEnvironment | EnvironmentReference;

/** Where episodes run. */
export interface HostOptions {
  readonly seed: number;
  /** Default: the available parallelism less one, at least 1, at most 8. */
  readonly threads?: number | undefined;
  /** Called when a thread ends unexpectedly. */
  readonly onFailure: (cause: unknown) => void;
}

/** The hosts of all environments, in order. */
export interface Hosts extends AsyncDisposable {
  readonly all: readonly EpisodeHost[];
}

/** Starts hosts. References share a pool of threads; all other environments run in this thread. */
export async function startHosts(
  servables: readonly Servable[],
  { seed, threads = defaultThreads(), onFailure }: HostOptions,
): Promise<Hosts> {
  const references = threads === 0 ? [] : servables.filter(isReference);
  const pool =
    references.length === 0
      ? undefined
      : await ThreadPool.start({ setup: { references, seed }, threads, onFailure });
  try {
    const all = await Promise.all(
      servables.map(async (servable): Promise<EpisodeHost> => {
        if (!isReference(servable)) return inlineHost(hostedEnvironment(servable), seed);
        if (pool === undefined) return inlineHost(await loadReference(servable), seed);
        return new ThreadedHost(pool, references.indexOf(servable));
      }),
    );
    return {
      all,
      async [Symbol.asyncDispose]() {
        await Promise.all(all.map((host) => host[Symbol.asyncDispose]()));
        await pool?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await pool?.[Symbol.asyncDispose]();
    throw error;
  }
}

function isReference(servable: Servable): servable is EnvironmentReference {
  return "module" in servable;
}

function hostedEnvironment(servable: Environment | HostedEnvironment): HostedEnvironment {
  return "environment" in servable ? servable : { environment: servable };
}

function defaultThreads(): number {
  return Math.min(8, Math.max(1, availableParallelism() - 1));
}
