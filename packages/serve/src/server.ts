import type { AddressInfo } from "node:net";

import { ConfigError } from "@envs/core";
import fastifySwagger from "@fastify/swagger";
import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
} from "fastify-type-provider-zod";

import { Access } from "./access.ts";
import { countBodies } from "./body-intake.ts";
import type { ServeContext, Served } from "./context.ts";
import { type Hosts, type Servable, startHosts } from "./host/start-hosts.ts";
import { answerError, answerNotFound } from "./http-errors.ts";
import { Intake } from "./intake.ts";
import { jsonBodies } from "./json-bodies.ts";
import { checkNames } from "./names.ts";
import { nemoRoutes } from "./nemo/routes.ts";
import { withOptionalBodies } from "./openapi.ts";
import { openenvRoutes } from "./openenv/routes.ts";
import { openenvSockets } from "./openenv/sockets.ts";
import { redirectToEnvironment } from "./ors/redirect.ts";
import { orsRoutes } from "./ors/routes.ts";
import { servedTools } from "./served-tools.ts";
import { Sessions } from "./sessions.ts";
import { taskRoutes } from "./tasks/routes.ts";
import { webRoutes } from "./web/routes.ts";

/** How environments are served. */
export interface ServeOptions {
  /** Default 8000; 0 for any that is free. */
  readonly port?: number;
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /** Decides, with the example, all that environments draw where a trainer gives no seed. Default 0. */
  readonly seed?: number;
  /** How many sessions there may be at once. Default 4096. */
  readonly sessions?: number;
  /** How long a session may be silent, in milliseconds. Default 15 minutes. */
  readonly idleTimeout?: number;
  /**
   * How long a client may take to send the head of a request, and how long it may not read its answer, in milliseconds;
   * the whole request may take five times as long. A call over ORS is heard of each 10 seconds. Default: a minute.
   */
  readonly clientTimeout?: number;
  /**
   * How many bytes of requests and frames may be on their way in at once, over all connections; beyond, the largest is
   * refused. Default: 512 MiB.
   */
  readonly incomingBytes?: number;
  /** What clients must send, as `Authorization: Bearer …` or `X-API-Key`. Default: nothing. */
  readonly apiKey?: string;
  /**
   * In how many threads the episodes of references run, so that a slow score holds up nobody else. Default: as many as
   * this machine runs at once, less one; at least 1, at most 8. With 0, and for environments given as objects: in this one.
   */
  readonly threads?: number;
  /** Writes a line of JSON for each failure to standard error. Default false. */
  readonly isLogging?: boolean;
}

/** A server that is listening. */
export interface EnvironmentServer extends AsyncDisposable {
  readonly url: string;
  /** Takes no more sessions, ends those that there are, and stops. */
  close(): Promise<void>;
}

/**
 * Serves environments to trainers over OpenEnv, ORS and NeMo Gym, all on one port. The first is the one that is meant
 * where a protocol names none. Throws a `ConfigError` if there is none, if two have one name, and for a
 * limit that lets nothing through.
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
  const over: (() => unknown)[] = [() => hosts[Symbol.asyncDispose]()];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      for (const end of over.toReversed()) await end();
    })());
  try {
    const context = contextOf(hosts, options);
    const access = new Access(options.apiKey);
    const app = await application(context, access, options);
    log = app.log;
    over.push(() => app.close());
    const sockets = openenvSockets(app, context, ({ headers }) => access.allows(headers));
    over.push(
      () => sockets.close(),
      () => context.sessions.closeAll(),
    );
    const { port: asked = 8000, host = "127.0.0.1" } = options;
    // All clients may come at once. Whoever finds no place in the queue tries again a second later.
    await app.listen({ port: asked, host, backlog: 4096 });
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

function checkOptions(options: ServeOptions): void {
  const { threads, sessions, idleTimeout, clientTimeout, incomingBytes } = options;
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 0))
    throw new ConfigError(`threads is ${threads}. It must be a whole number of at least 0.`);
  const limits = { sessions, idleTimeout, clientTimeout, incomingBytes };
  for (const [name, limit] of Object.entries(limits))
    if (limit !== undefined && !(limit > 0))
      throw new ConfigError(`${name} is ${limit}. It must be more than 0.`);
}

function contextOf(
  { all }: Hosts,
  {
    seed = 0,
    sessions: most = 4096,
    idleTimeout = 15 * 60_000,
    incomingBytes = 512 * 2 ** 20,
  }: ServeOptions,
): ServeContext {
  checkNames(all.map(({ card }) => card.name));
  const served = all.map((host): Served => ({ host, tools: servedTools(host.card.tools) }));
  return {
    environments: new Map(served.map((each) => [each.host.card.name, each])),
    first: served[0]!,
    sessions: new Sessions({ most, idleTimeout }, seed),
    intake: new Intake(incomingBytes),
  };
}

async function application(
  context: ServeContext,
  access: Access,
  { isLogging = false, clientTimeout = 60_000 }: ServeOptions,
): Promise<FastifyInstance> {
  const app = fastify({
    logger: isLogging && {
      level: "warn",
      redact: ["req.headers.authorization", 'req.headers["x-api-key"]'],
      stream: process.stderr,
    },
    bodyLimit: 100 * 2 ** 20,
    forceCloseConnections: true,
    requestTimeout: 5 * clientTimeout,
    http: {
      headersTimeout: clientTimeout,
      connectionsCheckingInterval: Math.min(clientTimeout / 4, 5000),
      // Whoever offers another protocol, as clients of HTTP/2 do, is answered over this one.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    },
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerNotFound);
  jsonBodies(app);
  countBodies(app, context.intake);
  app.addHook("onRequest", async (request, reply) => {
    if (isOpen(request) || access.allows(request.headers)) return;
    await reply.code(401).send({ detail: "Send the key of this server: Authorization: Bearer …" });
  });
  // Until the answer has left: then the socket waits for another request, with a timeout of its own.
  app.addHook("onSend", async ({ raw }) => void raw.socket.setTimeout(clientTimeout));
  redirectToEnvironment(app, context);
  await app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: context.first.host.card.name,
        description: context.first.host.card.description,
        version: "1.0.0",
      },
    },
    transform: jsonSchemaTransform,
    transformObject: withOptionalBodies,
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  const { first, environments, sessions } = context;
  await app.register(async (scope) => openenvRoutes(scope, first, sessions));
  for (const served of environments.values()) {
    const prefix = `/${served.host.card.name}`;
    await app.register(async (scope) => openenvRoutes(scope, served, sessions), { prefix });
    await app.register(async (scope) => nemoRoutes(scope, served, sessions), {
      prefix: `/nemo${prefix}`,
    });
  }
  await app.register(async (scope) => taskRoutes(scope, context));
  await app.register(async (scope) => orsRoutes(scope, context));
  await app.register(async (scope) => webRoutes(scope, context, access));
  return app;
}

/** What answers without the key: whether the server is up, and the page that asks for the key. */
function isOpen({ routeOptions: { url, config } }: FastifyRequest): boolean {
  return url === "/health" || config.isOpen === true;
}
