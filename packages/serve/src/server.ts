import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";

import { startApplication } from "./application-server.ts";
import type { EnvironmentServer } from "./environment-server.ts";
import { isReference, type Servable } from "./host/environment-reference.ts";
import type { EpisodeHost } from "./host/episode-host.ts";
import { inlineHosts } from "./host/inline-hosts.ts";
import { isJudgeReference } from "./host/judge-reference.ts";
import type { ServerStatus } from "./http/status-routes.ts";
import { listenOptions, urlOf } from "./listen-address.ts";
import { checkOptions, type ServeOptions } from "./options.ts";
import { startWorkers } from "./workers/start-workers.ts";
import { WorkerHost } from "./workers/worker-host.ts";

/** At least as many that the episodes which share a process are an eighth of all. */
const minDefaultProcesses = 8;

/**
 * Serves environments to trainers over OpenEnv, ORS and NeMo Gym, all on one port. The first environment answers requests
 * that do not name one. Throws a `ConfigError` if there is no environment, if two have the same name, and for invalid
 * limits, and for a judge or a sub-model that an environment asks and that was not passed.
 */
export async function serve(
  environments: readonly Servable[],
  options: ServeOptions = {},
): Promise<EnvironmentServer> {
  checkOptions(options);
  const { hosts, processes } = await startHosts(environments, options);
  const disposeHosts = (): Promise<unknown> =>
    Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
  try {
    const { app, close } = await startApplication(hosts, options, processes);
    let closing: Promise<void> | undefined;
    const closeOnce = (): Promise<void> => (closing ??= close(options.drain ?? 0));
    await app.listen(listenOptions(options));
    return {
      url: urlOf(app.server.address() as AddressInfo),
      close: closeOnce,
      [Symbol.asyncDispose]: closeOnce,
    };
  } catch (error) {
    await disposeHosts();
    throw error;
  }
}

interface Hosts {
  readonly hosts: readonly EpisodeHost[];
  readonly processes: () => ServerStatus["processes"];
}

async function startHosts(
  environments: readonly Servable[],
  options: ServeOptions,
): Promise<Hosts> {
  const { processes = defaultProcesses(), judge, subModel } = options;
  const references = environments.filter(isReference);
  // An object cannot be sent to another process.
  const isInline =
    processes === 0 ||
    references.length === 0 ||
    references.length < environments.length ||
    typeof subModel === "function" ||
    (judge !== undefined && !isJudgeReference(judge));
  if (isInline)
    return {
      hosts: await inlineHosts(environments, options),
      processes: () => ({ ready: 1, blocked: 0, killed: 0, crashed: 0 }),
    };
  const pool = await startWorkers(references, options, processes);
  return {
    hosts: references.map((_, index) => new WorkerHost(pool, index)),
    processes: () => pool.status,
  };
}

function defaultProcesses(): number {
  return Math.max(minDefaultProcesses, availableParallelism());
}
