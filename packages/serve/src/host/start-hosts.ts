import { availableParallelism } from "node:os";

import type { Environment } from "@envs/core";

import type { EpisodeHost } from "./host.ts";
import { type HostedEnvironment, inlineHost } from "./inline-host.ts";
import { type EnvironmentReference, loadReference } from "./reference.ts";
import { ThreadPool } from "./thread-pool.ts";
import { ThreadedHost } from "./threaded-host.ts";

/** What can be served: an environment stays in this thread; a reference can be loaded in others. */
export type Servable = Environment | HostedEnvironment | EnvironmentReference;

/** Where episodes run. */
export interface HostOptions {
  readonly seed: number;
  /** Default: as many as this machine runs at once, less this one; at least 1, at most 8. */
  readonly threads?: number | undefined;
  /** Hears why a thread ended. */
  readonly onFailure: (cause: unknown) => void;
}

/** The hosts of all environments, in order. */
export interface Hosts extends AsyncDisposable {
  readonly all: readonly EpisodeHost[];
}

/** Starts hosts: for references in threads that they share, for all else in this thread. */
export async function startHosts(
  servables: readonly Servable[],
  { seed, threads = defaultThreads(), onFailure }: HostOptions,
): Promise<Hosts> {
  const references = threads === 0 ? [] : servables.filter(isReference);
  const pool =
    references.length === 0
      ? undefined
      : await ThreadPool.start({ plan: { references, seed }, count: threads, onFailure });
  try {
    const all = await Promise.all(
      servables.map(async (each): Promise<EpisodeHost> => {
        if (!isReference(each)) return inlineHost(hosted(each), seed);
        if (pool === undefined) return inlineHost(await loadReference(each), seed);
        return new ThreadedHost(pool, references.indexOf(each));
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

function hosted(servable: Environment | HostedEnvironment): HostedEnvironment {
  return "environment" in servable ? servable : { environment: servable };
}

function defaultThreads(): number {
  return Math.min(8, Math.max(1, availableParallelism() - 1));
}
