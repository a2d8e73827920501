import type { FastifyInstance } from "fastify";

import { excessOf } from "./json-bounds.ts";

/** A body that nobody can check in a reasonable time. */
class ExcessError extends Error {
  override readonly name = "ExcessError";
  readonly statusCode = 422;
}

/** Reads bodies of JSON, unless they hold too much. */
export function jsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const excess = excessOf(String(body));
    if (excess === undefined) void parse(request, String(body), done);
    else done(new ExcessError(`This body holds too much. ${excess}`));
  });
}
