import type { FastifyInstance } from "fastify";

import { tooManyValues } from "./json-values.ts";

/** Lets a request announce JSON and send nothing, as pnpm does with a star; JSON that would keep the hub busy is refused. */
export function takeEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") return done(null, undefined);
    const problem = tooManyValues(body as string);
    if (problem !== undefined) return done(problem);
    void parse(request, body as string, done);
  });
}
