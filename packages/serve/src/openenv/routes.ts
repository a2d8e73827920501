import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { ServeContext, ServedEnvironment } from "../context.ts";
import { environmentOpenapiRoute, errorResponses } from "../http/openapi.ts";
import { health, healthOf } from "../http/status-routes.ts";
import { exampleFields, resetBody } from "../sessions/reset-query.ts";
import { anyAction, mainAction, readAction } from "./action.ts";
import { openenvObservation, sessionState, stepResult, type StepResult } from "./observation.ts";
import { type SessionRequest, withSession } from "./openenv-sessions.ts";

const metadata = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string().optional(),
  readme_content: z.string().optional(),
});

/** JSON Schemas of an environment's actions, observations and state. */
const schemas = z.object({
  action: z.looseObject({}),
  observation: z.looseObject({}),
  state: z.looseObject({}),
});

/** OpenEnv over HTTP, for one environment: health, metadata, schemas, MCP, and resets and steps without a session. */
export function openenvRoutes(
  app: FastifyInstance,
  environment: ServedEnvironment,
  { sessions, status }: Pick<ServeContext, "sessions" | "status">,
): void {
  const { name, description, version, readme } = environment.host.card;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["openenv"];
  const ownSchemas = {
    action: { ...z.toJSONSchema(mainAction(environment), { io: "input" }) },
    observation: { ...z.toJSONSchema(openenvObservation) },
    state: { ...z.toJSONSchema(sessionState) },
  };

  routes.get(
    "/health",
    { schema: { tags, response: { 200: health, 503: health } } },
    async (_request, reply) => {
      const body = healthOf(status());
      return reply.code(body.status === "healthy" ? 200 : 503).send(body);
    },
  );

  routes.get(
    "/metadata",
    { schema: { tags, response: { 200: metadata, ...errorResponses } } },
    () => ({ name, description, version, readme_content: readme }),
  );

  routes.get(
    "/schema",
    { schema: { tags, response: { 200: schemas, ...errorResponses } } },
    () => ownSchemas,
  );

  routes.post(
    "/reset",
    {
      schema: { tags, body: resetBody.nullish(), response: { 200: stepResult, ...errorResponses } },
    },
    ({ body }, { raw: response }) =>
      withSession(environment, { sessions, response }, (session) => session.reset(body ?? {})),
  );

  routes.post(
    "/step",
    {
      schema: {
        tags,
        description: "Take one step of a new episode. For whole episodes, use a session over /ws.",
        body: z.strictObject({
          action: anyAction(environment),
          ...exampleFields,
          timeout_s: z.number().positive().nullish().describe("Timeout of the step, in seconds"),
          request_id: z.string().max(255).nullish().describe("Ignored"),
        }),
        response: { 200: stepResult, ...errorResponses },
      },
    },
    ({ body }, { raw: response }) => singleStep(environment, { sessions, response }, body),
  );

  routes.get(
    "/state",
    { schema: { tags, response: { 200: sessionState, ...errorResponses } } },
    (_request, { raw: response }) =>
      withSession(environment, { sessions, response }, async (session) => session.state()),
  );

  // Adds no document at the root, which describes all routes in its own.
  if (app.prefix !== "") environmentOpenapiRoute(app, environment.host.card);
}

interface StepBody extends z.output<z.ZodObject<typeof exampleFields>> {
  readonly action: unknown;
  readonly timeout_s?: number | null | undefined;
}

class StepTimeoutError extends Error {
  override readonly name = "StepTimeoutError";
  readonly statusCode = 408;
}

/** Takes one step of a new episode: of the first example, unless the body selects another. */
function singleStep(
  environment: ServedEnvironment,
  request: SessionRequest,
  { action: sentAction, timeout_s, ...fields }: StepBody,
): Promise<StepResult> {
  const action = readAction(environment, sentAction, ["body", "action"]);
  return withSession(environment, request, async (session) => {
    const step = async () => {
      if (action.type !== "list_tools")
        await session.reset({ ...fields, index: fields.index ?? (fields.seed == null ? 0 : null) });
      return session.step(action);
    };
    if (timeout_s == null) return step();
    const error = new StepTimeoutError(`The step took longer than ${timeout_s} seconds.`);
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(error), Math.min(timeout_s * 1000, 2 ** 31 - 1));
    try {
      return await Promise.race([step(), promise]);
    } finally {
      clearTimeout(timer);
    }
  });
}
