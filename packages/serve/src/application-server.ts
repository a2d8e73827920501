import type { FastifyInstance } from "fastify";

import { createApplication } from "./application.ts";
import type { ServeContext, ServedEnvironment } from "./context.ts";
import { checkGroupSize } from "./groups/check-group-size.ts";
import type { EpisodeHost } from "./host/episode-host.ts";
import { Access, type AccessOptions } from "./http/access.ts";
import { IncomingBytes } from "./http/incoming-bytes.ts";
import type { ServerStatus } from "./http/status-routes.ts";
import { openenvSockets } from "./openenv/sockets.ts";
import { checkEnvironmentNames, type ServeOptions } from "./options.ts";
import { servedTools } from "./served-tools.ts";
import { Sessions } from "./sessions/sessions.ts";

/** The application with its sessions. It does not listen yet. */
export interface ApplicationServer {
  readonly app: FastifyInstance;
  /** Lets open episodes end, then closes all sessions and connections. */
  readonly close: (drainMs: number) => Promise<void>;
}

/** Starts the routes and sockets of environments. The caller disposes the hosts if this throws. */
export async function startApplication(
  hosts: readonly EpisodeHost[],
  options: ServeOptions,
  processes: () => ServerStatus["processes"],
): Promise<ApplicationServer> {
  const context = createContext(hosts, options, processes);
  const { sessions } = context;
  const access = new Access(accessOptions(options));
  const app = await createApplication(context, access, options);
  const sockets = openenvSockets(app, context, access);
  return {
    app,
    async close(drainMs) {
      await sessions.drain(drainMs);
      await sessions.closeAll();
      await sockets.close();
      await app.close();
      await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
    },
  };
}

/** The options of the access check, which also allow the name that the server listens on. */
function accessOptions({ apiKey, host, allowedHosts = [] }: ServeOptions): AccessOptions {
  return { key: apiKey, allowedHosts: host === undefined ? allowedHosts : [...allowedHosts, host] };
}

function createContext(
  hosts: readonly EpisodeHost[],
  options: ServeOptions,
  processes: () => ServerStatus["processes"],
): ServeContext {
  const {
    seed = 0,
    sessions: maxSessions = 4096,
    idleTimeout: idleTimeoutMs = 15 * 60_000,
    stepTimeout: stepTimeoutMs = 120_000,
    incomingBytes = 512 * 2 ** 20,
  } = options;
  for (const { card } of hosts) checkGroupSize(card, options.groupSize);
  checkEnvironmentNames(hosts.map(({ card }) => card.name));
  const environments = hosts.map((host): ServedEnvironment => ({
    host,
    tools: servedTools(host.card.tools ?? []),
    groupSize: options.groupSize,
  }));
  const limits = { maxSessions, idleTimeoutMs, stepTimeoutMs };
  const sessions = new Sessions(limits, seed);
  return {
    environments: new Map(
      environments.map((environment) => [environment.host.card.name, environment]),
    ),
    first: environments[0]!,
    sessions,
    incomingBytes: new IncomingBytes(incomingBytes),
    status: () => ({ ...sessions.status, processes: processes() }),
  };
}
