import type { FastifyInstance, FastifyRequest } from "fastify";
import type * as z from "zod";

import { HubError } from "../errors/hub-error.ts";

/** The maximum number of JSON values, more than any client sends. Parsing that many takes up to half a second. */
const maxValues = 300_000;

/** Parses JSON bodies, accepts an empty one (`pnpm star` sends one), and rejects those with too many values. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") return done(null, undefined);
    const error = tooManyValues(body as string);
    if (error !== undefined) return done(error);
    void parse(request, body as string, done);
  });
}

/** Returns an error for a JSON text with too many values: parsing small values takes long and many times their memory. */
export function tooManyValues(text: string): HubError | undefined {
  // Each value except the first follows one of these characters. The count includes those inside strings.
  let remaining = maxValues;
  for (const character of [",", "[", "{"])
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      remaining -= 1;
      if (remaining < 0)
        return new HubError("too-many-values", {
          message: `The body has more than ${maxValues} JSON values. Split the request.`,
        });
    }
  return undefined;
}

/** Validates the body of a request; throws `invalid-request` with the first five issues. */
export function readBody<Schema extends z.ZodType>(
  { body }: FastifyRequest,
  schema: Schema,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const issues = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new HubError("invalid-request", {
    message: `The request is not valid. ${issues.join("; ")}`,
  });
}
