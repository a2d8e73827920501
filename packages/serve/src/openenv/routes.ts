import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { Served } from "../context.ts";
import { failures } from "../http-failures.ts";
import type { Sessions } from "../sessions.ts";
import { takenAction } from "./action.ts";
import { withGame } from "./games.ts";
import { mcpRoute } from "./mcp-route.ts";
import { openapiRoute } from "./openapi-route.ts";
import { choice, resetData } from "./reset-query.ts";
import { schemas, schemasOf } from "./schemas.ts";
import { stepAlone } from "./step-alone.ts";
import { state, told } from "./told.ts";

/** OpenEnv over HTTP, for one environment: health, metadata, schemas, and steps that stand alone. */
export function openenvRoutes(app: FastifyInstance, served: Served, sessions: Sessions): void {
  const { name, description, version, readme } = served.host.card;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["openenv"];
  const shown = schemasOf(served);

  routes.get(
    "/health",
    { schema: { tags, response: { 200: z.object({ status: z.literal("healthy") }) } } },
    () => ({ status: "healthy" as const }),
  );

  routes.get("/metadata", { schema: { tags, response: { 200: metadata, ...failures } } }, () => ({
    name,
    description,
    ...(version === undefined ? {} : { version }),
    ...(readme === undefined ? {} : { readme_content: readme }),
  }));

  routes.get("/schema", { schema: { tags, response: { 200: schemas, ...failures } } }, () => shown);

  routes.post(
    "/reset",
    { schema: { tags, body: resetData.nullish(), response: { 200: told, ...failures } } },
    ({ body }, { raw: answer }) =>
      withGame(served, { sessions, answer }, (game) => game.reset(body ?? {})),
  );

  routes.post(
    "/step",
    {
      schema: {
        tags,
        description: "One step of a fresh episode: sessions are over /ws.",
        body: z.strictObject({
          action: takenAction(served),
          ...choice,
          timeout_s: z.number().positive().nullish().describe("How long it may take, in seconds"),
          request_id: z.string().max(255).nullish().describe("Ignored"),
        }),
        response: { 200: told, ...failures },
      },
    },
    ({ body }, { raw: answer }) => stepAlone(served, { sessions, answer }, body),
  );

  routes.get(
    "/state",
    { schema: { tags, response: { 200: state, ...failures } } },
    (_request, { raw: answer }) =>
      withGame(served, { sessions, answer }, async (game) => game.state()),
  );

  // The server itself has that of all.
  if (app.prefix !== "") openapiRoute(app, served.host.card);
  app.register(async (scope) => mcpRoute(scope, served, sessions));
}

const metadata = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string().optional(),
  readme_content: z.string().optional(),
});
