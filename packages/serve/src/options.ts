import { ConfigError } from "@envs/core";

import type { ServedJudge } from "./host/judge-reference.ts";
import type { ServedSubModel } from "./host/sub-model-reference.ts";

/** How environments are served. */
export interface ServeOptions extends ServedJudge, ServedSubModel {
  /** Default 8000; 0 for any free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string | undefined;
  /** The seed of episodes that are reset without one. The example and the seed determine all randomness. Default 0. */
  readonly seed?: number | undefined;
  /** The maximum number of sessions at once. Default 4096. */
  readonly sessions?: number | undefined;
  /** The milliseconds without a request after which a session is closed. Default 15 minutes. */
  readonly idleTimeout?: number | undefined;
  /**
   * The milliseconds after which a reset, a step or a score fails, which ends its episode. Default: 2 minutes. In a server of one
   * process, code that never awaits cannot be interrupted.
   */
  readonly stepTimeout?: number | undefined;
  /** The milliseconds that `close` lets open episodes continue. Meanwhile, new sessions are rejected. Default 0. */
  readonly drain?: number | undefined;
  /**
   * The milliseconds in which a client must send the headers of a request, and in which it must continue to read a response; the
   * whole request may take five times as long. A call over ORS sends a ping each 10 seconds. Default: a minute.
   */
  readonly clientTimeout?: number | undefined;
  /**
   * The maximum bytes of requests and frames that are being received at once, over all connections; above it, the
   * largest is rejected. Default: 512 MiB.
   */
  readonly incomingBytes?: number | undefined;
  /** The key that clients must send, as `Authorization: Bearer …` or `X-API-Key`. Default: none. */
  readonly apiKey?: string | undefined;
  /**
   * Names under which clients reach a server without a key, besides `localhost`, IP addresses and `host`; also the hosts
   * of other web pages that may use it. Default: none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The number of processes that run the episodes of environments passed as references. Each runs an equal share of the open
   * episodes, which are lost if it crashes or blocks for longer than `stepTimeout`. Default: the available parallelism, at least
   * 8. With 0, and if an environment is given as an object, episodes run in this process.
   */
  readonly processes?: number | undefined;
  /**
   * The number of rollouts of an example that the trainer samples. Required for environments with rewarded group scores,
   * which compare these rollouts. The episodes of an example then share a process. Default: unknown.
   */
  readonly groupSize?: number | undefined;
  /** Writes a line of JSON for each failure to standard error. Default false. */
  readonly isLogging?: boolean | undefined;
}

const limits = [
  "sessions",
  "idleTimeout",
  "stepTimeout",
  "clientTimeout",
  "incomingBytes",
  "judgeConcurrency",
  "judgeTimeout",
  "subModelConcurrency",
] as const satisfies (keyof ServeOptions)[];

/** Throws a `ConfigError` for a limit that would not let anything through. */
export function checkOptions(options: ServeOptions): void {
  const { processes, drain = 0 } = options;
  if (processes !== undefined && !(Number.isInteger(processes) && processes >= 0))
    throw new ConfigError(`processes is ${processes}. It must be a whole number of at least 0.`);
  if (!(drain >= 0)) throw new ConfigError(`drain is ${drain}. It must be at least 0.`);
  for (const name of limits) {
    const limit = options[name];
    if (limit !== undefined && !(limit > 0))
      throw new ConfigError(`${name} is ${limit}. It must be greater than 0.`);
  }
}

const routeNames = new Set(
  `nemo web ws mcp metrics health metadata schema reset step state openapi.json list_environments create
   create_session delete delete_session ping`.split(/\s+/u),
);

/** Throws a `ConfigError` unless environments of these names can share a server. */
export function checkEnvironmentNames(names: readonly string[]): void {
  if (names.length === 0)
    throw new ConfigError("There is no environment to serve. Pass at least one.");
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw new ConfigError(`Two environments are named ${duplicate}. Serve them on two ports.`);
  const reserved = names.find((name) => routeNames.has(name));
  if (reserved !== undefined)
    throw new ConfigError(
      `An environment named ${reserved} cannot be served, since a route has this name. Rename it.`,
    );
}
