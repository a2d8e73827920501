import fastifySwagger from "@fastify/swagger";
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import {
  hasZodFastifySchemaValidationErrors,
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
} from "fastify-type-provider-zod";

import type { ServeContext, ServedEnvironment } from "./context.ts";
import { publicMessage, retryAfterSeconds, ServeError, serveErrors, truncate } from "./errors.ts";
import { groupRoutes } from "./groups/routes.ts";
import type { Access } from "./http/access.ts";
import { otherMethods } from "./http/allowed-methods.ts";
import { countRequestBodies } from "./http/incoming-bytes.ts";
import { parseJsonBodies } from "./http/json-limits.ts";
import { withOptionalBodies } from "./http/openapi.ts";
import { metricsRoute } from "./http/status-routes.ts";
import { type McpContext, mcpRoutes } from "./mcp/routes.ts";
import { nemoRoutes } from "./nemo/routes.ts";
import { answerMcp } from "./openenv/mcp.ts";
import { openenvRoutes } from "./openenv/routes.ts";
import type { ServeOptions } from "./options.ts";
import { redirectToEnvironment } from "./ors/deployment.ts";
import { orsRoutes } from "./ors/routes.ts";
import type { Sessions } from "./sessions/sessions.ts";
import { taskRoutes } from "./tasks/routes.ts";
import { webRoutes } from "./web/routes.ts";

/** The HTTP server with the routes of all protocols. Sockets are separate. */
export async function createApplication(
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
      // Requests to upgrade to another protocol, such as HTTP/2, get their response over HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    },
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(handleNotFound);
  parseJsonBodies(app);
  countRequestBodies(app, context.incomingBytes);
  app.addHook("onRequest", async (request, reply) => {
    const problem = access.problem(request.headers);
    if (problem === undefined || (problem.status === 401 && isPublic(request))) return;
    await reply.code(problem.status).send({ detail: problem.detail });
  });
  // This timeout applies until the response is sent; then the keep-alive timeout applies.
  app.addHook("onSend", async ({ raw }) => void raw.socket.setTimeout(clientTimeout));
  redirectToEnvironment(app, context);
  // Runs before the body is read, which an unknown route does not need.
  app.addHook("onRequest", async (request, reply) => {
    if (request.is404) await handleNotFound(request, reply);
  });
  const methods = otherMethods(app);
  await registerOpenapi(app, context);
  await registerProtocols(app, context, access);
  methods.reject();
  return app;
}

async function registerOpenapi(app: FastifyInstance, { first }: ServeContext): Promise<void> {
  const { name, description } = first.host.card;
  await app.register(fastifySwagger, {
    openapi: { openapi: "3.1.0", info: { title: name, description, version: "1.0.0" } },
    transform: jsonSchemaTransform,
    transformObject: withOptionalBodies,
  });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
}

async function registerProtocols(
  app: FastifyInstance,
  context: ServeContext,
  access: Access,
): Promise<void> {
  const { first, environments, sessions, status } = context;
  metricsRoute(app, status);
  await app.register(async (scope) => openenvRoutes(scope, first, context));
  await app.register(async (scope) => mcpRoutes(scope, mcpContext(first, sessions)));
  for (const [name, environment] of environments) {
    const prefix = `/${name}`;
    await app.register(async (scope) => openenvRoutes(scope, environment, context), { prefix });
    await app.register(async (scope) => mcpRoutes(scope, mcpContext(environment, sessions)), {
      prefix,
    });
    await app.register(async (scope) => groupRoutes(scope, environment, sessions), { prefix });
    await app.register(async (scope) => nemoRoutes(scope, environment, sessions), {
      prefix: `/nemo${prefix}`,
    });
  }
  await app.register(async (scope) => taskRoutes(scope, context));
  await app.register(async (scope) => orsRoutes(scope, context));
  await app.register(async (scope) => webRoutes(scope, context, access));
}

/** Requests outside an MCP session are in OpenEnv's dialect. */
function mcpContext(environment: ServedEnvironment, sessions: Sessions): McpContext {
  return {
    environment,
    sessions,
    answerOther: (request, log) => answerMcp(request, { environment, sessions, log }),
  };
}

/** Routes that do not need the key: the health check, and the page that asks for the key. */
function isPublic({ routeOptions: { url, config } }: FastifyRequest): boolean {
  return url === "/health" || config.isPublic === true;
}

const maxIssues = 20;

/** Replies to errors of all routes in FastAPI's form: `{ detail }`. */
function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (hasZodFastifySchemaValidationErrors(error)) {
    if (error.validationContext === "headers")
      return reply.code(400).send({ detail: truncate(error.validation[0]?.message ?? "") });
    return reply.code(422).send({
      detail: error.validation.slice(0, maxIssues).map(({ instancePath, message = "" }) => ({
        loc: [error.validationContext, ...instancePath.split("/").filter(Boolean)],
        msg: truncate(message),
        type: "value_error",
      })),
    });
  }
  if (error instanceof ServeError) {
    const status = serveErrors[error.code];
    if (status === 503) reply.header("retry-after", retryAfterSeconds);
    return reply.code(status).send({ detail: error.message });
  }
  if (error.statusCode !== undefined && error.statusCode < 500)
    return reply.code(error.statusCode).send({ detail: error.message });
  request.log.error({ err: error });
  return reply.code(500).send({ detail: publicMessage(error) });
}

/** Replies to requests that match no route. */
function handleNotFound({ method }: FastifyRequest, reply: FastifyReply) {
  return reply.code(404).send({ detail: `This server has no ${method} route at this path.` });
}
