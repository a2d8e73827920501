import { randomUUID } from "node:crypto";

import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";

import { events, failures } from "../http-failures.ts";
import { event, streamHeaders } from "./event-stream.ts";
import type { Games } from "./games.ts";
import { sid, status } from "./schemas.ts";
import { sessionId } from "./session-id.ts";

const tags = ["ors"];

/** How sessions get their ids, are kept alive and end. In a scope of its own: no body is read. */
export function sessionRoutes(instance: FastifyInstance, games: Games): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  // Clients in Python send nothing as `application/octet-stream`.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "*",
    { parseAs: "string", bodyLimit: 2 ** 16 },
    (_request, _body, done) => done(null),
  );

  const newId = { tags, description: "A new id", response: { 200: events, ...failures } };
  app.post("/create_session", { schema: newId }, (_request, reply) => {
    void reply.headers(streamHeaders).send(event("task_id", randomUUID()) + event("end", ""));
  });

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
