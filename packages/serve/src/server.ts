import type { AddressInfo } from "node:net";

import type { FastifyInstance } from "fastify";

import { createApplication } from "./application.ts";
import type { ServeContext, ServedEnvironment } from "./context.ts";
import { checkGroupSize } from "./groups/check-group-size.ts";
import { type Hosts, type Servable, startHosts } from "./host/start-hosts.ts";
import { Access, type AccessOptions } from "./http/access.ts";
import { IncomingBytes } from "./http/incoming-bytes.ts";
import { openenvSockets } from "./openenv/sockets.ts";
import { checkEnvironmentNames, checkOptions, type ServeOptions } from "./options.ts";
import { servedTools } from "./served-tools.ts";
import { inlineRegistry } from "./sessions/session-registry.ts";
import { Sessions } from "./sessions/sessions.ts";

/** A server that is listening. */
export interface EnvironmentServer extends AsyncDisposable {
  readonly url: string;
  /** Accepts no more sessions, ends the open ones, and stops. */
  close(): Promise<void>;
}

/**
 * Serves environments to trainers over OpenEnv, ORS and NeMo Gym, all on one port. The first environment answers requests
 * that do not name one. Throws a `ConfigError` if there is no environment, if two have the same name, and for invalid
 * limits.
 */
export async function serve(
  environments: readonly Servable[],
  options: ServeOptions = {},
): Promise<EnvironmentServer> {
  const { seed = 0, threads } = options;
  checkOptions(options);
  let log: FastifyInstance["log"] | undefined;
  const onFailure = (cause: unknown): void => log?.error({ err: cause }, "A thread ended.");
  const hosts = await startHosts(environments, { seed, threads, onFailure });
  const cleanups: (() => unknown)[] = [() => hosts[Symbol.asyncDispose]()];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup();
    })());
  try {
    const context = createContext(hosts, options);
    const access = new Access(accessOptions(options));
    const app = await createApplication(context, access, options);
    log = app.log;
    cleanups.push(() => app.close());
    const sockets = openenvSockets(app, context, access);
    cleanups.push(
      () => sockets.close(),
      () => context.sessions.closeAll(),
      () => context.sessions.drain(options.drain ?? 0),
    );
    // All clients of a trainer may connect at once. One that the backlog rejects retries a second later.
    await app.listen({
      port: options.port ?? 8000,
      host: options.host ?? "127.0.0.1",
      backlog: 4096,
    });
    const { address, port } = app.server.address() as AddressInfo;
    return {
      url: `http://${address.includes(":") ? `[${address}]` : address}:${port}`,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Clients may use the name that the server listens on. */
function accessOptions({ apiKey, host, allowedHosts = [] }: ServeOptions): AccessOptions {
  return { key: apiKey, allowedHosts: host === undefined ? allowedHosts : [...allowedHosts, host] };
}

function createContext(hosts: Hosts, options: ServeOptions): ServeContext {
  const {
    seed = 0,
    sessions: maxSessions = 4096,
    idleTimeout: idleTimeoutMs = 15 * 60_000,
    stepTimeout: stepTimeoutMs = 120_000,
    incomingBytes = 512 * 2 ** 20,
  } = options;
  for (const { card } of hosts.all) checkGroupSize(card, options.groupSize);
  checkEnvironmentNames(hosts.all.map(({ card }) => card.name));
  const environments = hosts.all.map((host): ServedEnvironment => ({
    host,
    tools: servedTools(host.card.tools),
    groupSize: options.groupSize,
  }));
  return {
    environments: new Map(
      environments.map((environment) => [environment.host.card.name, environment]),
    ),
    first: environments[0]!,
    sessions: new Sessions(
      { maxSessions, idleTimeoutMs, stepTimeoutMs },
      seed,
      inlineRegistry(maxSessions),
    ),
    incomingBytes: new IncomingBytes(incomingBytes),
  };
}
