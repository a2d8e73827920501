import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";

import { serveErrors } from "../error-reference.ts";
import { publicMessage, ServeError, truncate } from "../errors.ts";

const maxIssues = 20;

/** Replies to errors of all routes in FastAPI's form: `{ detail }`. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (hasZodFastifySchemaValidationErrors(error))
    return reply.code(422).send({
      detail: error.validation.slice(0, maxIssues).map(({ instancePath, message = "" }) => ({
        loc: [error.validationContext, ...instancePath.split("/").filter(Boolean)],
        msg: truncate(message),
        type: "value_error",
      })),
    });
  if (error instanceof ServeError)
    return reply.code(serveErrors[error.code].status).send({ detail: error.message });
  if (error.statusCode !== undefined && error.statusCode < 500)
    return reply.code(error.statusCode).send({ detail: error.message });
  request.log.error({ err: error });
  return reply.code(500).send({ detail: publicMessage(error) });
}

/** Replies to requests that match no route. */
export function handleNotFound({ method }: FastifyRequest, reply: FastifyReply) {
  return reply.code(404).send({ detail: `This server has no ${method} route at this path.` });
}
