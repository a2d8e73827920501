import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";

import { serveErrors } from "./error-reference.ts";
import { publicMessage, ServeError } from "./failure.ts";
import { shortText } from "./quoted.ts";

const mostTold = 20;

/** Answers every error of every route, in FastAPI's form: `{ detail }`. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (hasZodFastifySchemaValidationErrors(error))
    return reply.code(422).send({
      detail: error.validation.slice(0, mostTold).map(({ instancePath, message = "" }) => ({
        loc: [error.validationContext, ...instancePath.split("/").filter(Boolean)],
        msg: shortText(message),
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

/** Answers what no route answers. */
export function answerNotFound({ method }: FastifyRequest, reply: FastifyReply) {
  return reply.code(404).send({ detail: `There is nothing here that answers ${method}.` });
}
