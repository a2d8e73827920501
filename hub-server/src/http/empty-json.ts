import type { FastifyInstance } from "fastify";

/** Lets a request announce JSON and send nothing, as pnpm does with a star. */
export function takeEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, undefined);
    else void parse(request, body as string, done);
  });
}
