import type { FastifyRequest } from "fastify";
import type * as z from "zod";

import { HubError } from "../errors/hub-error.ts";

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
