import type { Socket } from "node:net";

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";

import { errorBody, HubError } from "../errors/hub-error.ts";

/** What cannot be routed at all: an address that does not decode, or is longer than any. */
export function answerUnroutable(
  error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isLong = error.code === "FST_ERR_MAX_PARAM_LENGTH";
  void reply
    .code(isLong ? 414 : 400)
    .send(
      isLong
        ? errorBody("address-too-long", "A part of the address is longer than any name may be.")
        : errorBody(
            "invalid-address",
            "The address is not written as addresses are: see RFC 3986.",
          ),
    );
}

/** What is not HTTP, or more of it than anyone needs: answered on the bare connection, which then closes. */
export function answerConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, text] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "The headers are longer than this hub reads."]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "The request came too slowly."]
        : ["400 Bad Request", "This is not a request of HTTP/1.1."];
  const body = JSON.stringify(errorBody("invalid-request", text));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** What PostgreSQL says of a text with NUL, which it cannot keep: in a query, in JSON. */
const unkeepable: ReadonlySet<string> = new Set(["22021", "22P05"]);

/** Answers every failure as JSON. What is not a HubError is a defect: logged whole, told to nobody. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => answer(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send(
        errorBody(
          "not-found",
          `There is no ${request.method} ${request.url.split("?", 1)[0] ?? ""} on this hub.`,
        ),
      ),
  );
}

function answer(
  error: FastifyError | HubError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof HubError)
    return reply
      .code(error.status)
      .headers(error.headers)
      .send({ ...errorBody(error.code, error.message), ...error.details });
  if (hasZodFastifySchemaValidationErrors(error)) {
    const issues = error.validation.map(
      ({ instancePath, message }) =>
        `${instancePath.slice(1).replaceAll("/", ".") || error.validationContext}: ${message}`,
    );
    return reply
      .code(400)
      .send(errorBody("invalid-request", `The request is not valid. ${issues.join("; ")}`));
  }
  if (unkeepable.has(error.code))
    return reply
      .code(400)
      .send(
        errorBody("invalid-text", "The request has a text with a NUL character. Leave it out."),
      );
  const { statusCode = 500 } = error;
  if (statusCode < 500)
    return reply.code(statusCode).send({
      ...errorBody("invalid-request", error.message),
      code: error.code ?? "invalid-request",
    });
  request.log.error({ err: error }, "a request failed");
  return reply
    .code(500)
    .send(errorBody("internal", `The hub failed. Tell its operator this number: ${request.id}`));
}
