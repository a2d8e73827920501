import { randomUUID } from "node:crypto";

import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import { EnvironmentNames, type ServeContext } from "../context.ts";
import { ServeError } from "../errors.ts";
import { errorResponses, eventStreamResponse } from "../http/openapi.ts";
import { resetQuery } from "../sessions/reset-query.ts";
import { deployedEnvironment } from "./deployment.ts";
import { event, streamHeaders } from "./event-stream.ts";
import { OrsError } from "./ors-session.ts";
import { OrsSessions } from "./ors-sessions.ts";
import { createBody, sessionHeaders, sessionIdBody, status, taskSpec } from "./schemas.ts";
import { ToolCalls } from "./tool-calls.ts";
import { toolRoutes } from "./tool-routes.ts";

const tags = ["ors"];

/** The Open Reward Standard: sessions over HTTP, and tool calls as event streams. */
export function orsRoutes(app: FastifyInstance, context: ServeContext): void {
  const sessions = new OrsSessions(context.sessions);
  const calls = new ToolCalls();
  createRoute(app, context, sessions);
  void app.register(async (scope) => sessionRoutes(scope, sessions));
  for (const [name, environment] of context.environments)
    void app.register(async (scope) => toolRoutes(scope, environment, { sessions, calls }), {
      prefix: `/${name}`,
    });
}

function createRoute(
  instance: FastifyInstance,
  { environments, first }: ServeContext,
  sessions: OrsSessions,
): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();
  const names = new EnvironmentNames(environments);

  app.post(
    "/create",
    {
      schema: {
        tags,
        headers: sessionHeaders,
        body: createBody,
        response: { 200: sessionIdBody, ...errorResponses },
      },
    },
    async (request) => {
      const { env_name: name, task_spec: spec, split, index } = request.body;
      const id = request.headers["x-session-id"];
      const environment =
        typeof name === "string"
          ? names.get(name)
          : (deployedEnvironment(names, request.headers) ?? first);
      const session = await sessions.create(id, environment, async () => {
        const task = taskSpec.safeParse(spec ?? { split, index });
        if (task.success) return resetQuery(environment.host, task.data);
        throw new OrsError(400, `Invalid task: ${z.prettifyError(task.error)}`);
      });
      session.prompt().catch((error: unknown) => {
        if (!(error instanceof ServeError)) request.log.error({ err: error });
      });
      return { sid: id };
    },
  );
}

/** Routes that ignore the request body, so they need their own scope. */
function sessionRoutes(instance: FastifyInstance, sessions: OrsSessions): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  // Python clients send an empty body as `application/octet-stream`.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "*",
    { parseAs: "string", bodyLimit: 2 ** 16 },
    (_request, _body, done) => done(null),
  );

  app.post(
    "/create_session",
    {
      schema: {
        tags,
        description: "Generate a session id",
        response: { 200: eventStreamResponse, ...errorResponses },
      },
    },
    (_request, reply) => {
      void reply.headers(streamHeaders).send(event("task_id", randomUUID()) + event("end", ""));
    },
  );

  app.post(
    "/ping",
    { schema: { tags, headers: sessionHeaders, response: { 200: status, ...errorResponses } } },
    async (request) => {
      sessions.get(request.headers["x-session-id"]);
      return { status: "ok" as const };
    },
  );

  for (const path of ["/delete", "/delete_session"])
    app.post(
      path,
      {
        schema: {
          tags,
          headers: sessionHeaders,
          response: { 200: sessionIdBody, ...errorResponses },
        },
      },
      async (request) => {
        const id = request.headers["x-session-id"];
        await sessions.delete(id);
        return { sid: id };
      },
    );
}
