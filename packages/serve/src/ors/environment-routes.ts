import { Readable } from "node:stream";

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";

import type { Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import { events, failures } from "../http-failures.ts";
import type { Calls } from "./calls.ts";
import { callEvents, event, streamHeaders } from "./event-stream.ts";
import type { Games } from "./games.ts";
import { callBody, prompt, toolList } from "./schemas.ts";
import { sessionId } from "./session-id.ts";

const tags = ["ors"];

/** What a session is asked. The session decides which environment that is, whichever the path names. */
export function environmentRoutes(
  instance: FastifyInstance,
  { tools }: Served,
  { games, calls }: { readonly games: Games; readonly calls: Calls },
): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();
  const toolsSchema = { tags, response: { 200: toolList, ...failures } };

  app.get("/tools", { schema: toolsSchema }, () => toolsOf(tools));

  app.get("/task_tools", { schema: toolsSchema }, (request) =>
    toolsOf(games.find(sessionId(request)).tools),
  );

  app.get(
    "/prompt",
    { schema: { tags, response: { 200: prompt, ...failures } } },
    async (request) => {
      const id = sessionId(request);
      const game = games.find(id);
      try {
        const texts = await game.prompt();
        return texts.map((text) => ({ type: "text" as const, text }));
      } catch (error) {
        games.find(id);
        throw error;
      }
    },
  );

  const callSchema = { tags, body: callBody, response: { 200: events, ...failures } };
  app.post("/call", { schema: callSchema }, (request, reply) => {
    const { name, input, task_id: lost } = request.body;
    const id = sessionId(request);
    reply.headers(streamHeaders);
    const kept = typeof lost === "string" ? calls.find(id, lost) : undefined;
    if (kept !== undefined) return void reply.send(Readable.from(callEvents(lost!, kept)));
    const game = games.find(id);
    if (typeof lost === "string") return void reply.send(event("error", "unknown task_id"));
    const result = game.call(name, input);
    result.catch((error: unknown) => logFailure(request, error));
    return void reply.send(Readable.from(callEvents(calls.start(id, result), result)));
  });
}

function toolsOf({ specs }: Served["tools"]) {
  return {
    tools: specs.map(({ name, description, parameters }) => {
      return { name, description, input_schema: { ...parameters } };
    }),
  };
}

function logFailure(request: FastifyRequest, error: unknown): void {
  if (!(error instanceof ServeError)) request.log.error({ err: error });
}
