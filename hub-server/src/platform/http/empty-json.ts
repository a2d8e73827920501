import type { FastifyInstance } from "fastify";

import { tooManyValues } from "./json-values.ts";

/** Parses JSON bodies, accepts an empty one (pnpm stars a package so), and rejects those with too many values. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") return done(null, undefined);
    const problem = tooManyValues(body as string);
    if (problem !== undefined) return done(problem);
    void parse(request, body as string, done);
  });
}
