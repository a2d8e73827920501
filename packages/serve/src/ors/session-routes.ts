import { randomUUID } from "node:crypto";

import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { ServeContext } from "../context.ts";
import { ServeError } from "../failure.ts";
import { failures } from "../http-failures.ts";
import { queryOf } from "../openenv/reset-query.ts";
import { event, streamHeaders } from "./event-stream.ts";
import type { Games } from "./games.ts";
import { Refusal } from "./refusal.ts";
import { createBody, sid, status, taskSpec } from "./schemas.ts";
import { sessionId } from "./session-id.ts";

const tags = ["ors"];

/** How sessions begin, are kept alive and end. */
export function sessionRoutes(
  instance: FastifyInstance,
  { environments, first }: Pick<ServeContext, "environments" | "first">,
  games: Games,
): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();
  const byName = new Map([...environments].map(([name, each]) => [name.toLowerCase(), each]));

  app.post("/create_session", { schema: { tags, description: "A new id" } }, (_request, reply) =>
    reply.headers(streamHeaders).send(event("task_id", randomUUID()) + event("end", "")),
  );

  app.post(
    "/create",
    { schema: { tags, body: createBody, response: { 200: sid, ...failures } } },
    async (request) => {
      const { env_name: name, task_spec: spec, split, index } = request.body;
      const id = sessionId(request);
      const served = typeof name === "string" ? byName.get(name.toLowerCase()) : first;
      if (served === undefined)
        throw new ServeError(
          "unknown-environment",
          `There is no environment named ${JSON.stringify(name)}. There is: ${[...environments.keys()].join(", ")}.`,
        );
      const game = await games.create(id, served, async () => {
        const asked = taskSpec.safeParse(spec ?? { split, index });
        if (asked.success) return queryOf(served.host, asked.data);
        throw new Refusal(400, `This is no task of this server: ${z.prettifyError(asked.error)}`);
      });
      game.prompt().catch((error: unknown) => {
        if (!(error instanceof ServeError)) request.log.error({ err: error });
      });
      return { sid: id };
    },
  );

  app.post(
    "/ping",
    { schema: { tags, response: { 200: status, ...failures } } },
    async (request) => {
      games.find(sessionId(request));
      return { status: "ok" as const };
    },
  );

  for (const path of ["/delete", "/delete_session"])
    app.post(path, { schema: { tags, response: { 200: sid, ...failures } } }, async (request) => {
      const id = sessionId(request);
      await games.delete(id);
      return { sid: id };
    });
}
