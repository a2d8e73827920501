import type { Socket } from "node:net";

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";

import { diskFull, errorBody, HubError, isDiskFull } from "../errors/hub-error.ts";

/** Responds to a URL that cannot be decoded or has a path segment that is too long. */
export function handleRoutingError(
  error: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isLong = error.code === "FST_ERR_MAX_PARAM_LENGTH";
  void reply
    .code(isLong ? 414 : 400)
    .send(
      isLong
        ? errorBody(
            "address-too-long",
            "A part of the URL is longer than any package name. Check the URL.",
          )
        : errorBody(
            "invalid-address",
            "The URL contains an invalid percent escape (RFC 3986). Encode each part with encodeURIComponent.",
          ),
    );
}

/** Responds to invalid HTTP, oversized headers and slow requests on the socket, and closes it. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, text] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "The request headers are too large."]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "The client did not send the complete request in time."]
        : ["400 Bad Request", "The request is not valid HTTP/1.1."];
  const body = JSON.stringify(errorBody("invalid-request", text));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** PostgreSQL's error codes for a NUL character in a text and in JSON, which it cannot store. */
const nulErrors: ReadonlySet<string> = new Set(["22021", "22P05"]);

/** Responds to errors with JSON. Logs unexpected errors in full; clients receive only the request id. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send(
        errorBody(
          "not-found",
          `This hub does not have the route ${request.method} ${request.url.split("?", 1)[0] ?? ""}.`,
        ),
      ),
  );
}

/** Headers of the resource that a failed request would have returned. Caches must not keep them with an error. */
const resourceHeaders = [
  "cache-control",
  "etag",
  "last-modified",
  "content-length",
  "content-range",
];

function sendError(
  error: FastifyError | HubError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  for (const name of resourceHeaders) {
    void reply.removeHeader(name);
    // Removes headers that were set for a stream that failed before its first byte.
    if (!reply.raw.headersSent) reply.raw.removeHeader(name);
  }
  if (isDiskFull(error)) {
    request.log.error({ err: error }, "the disk is full");
    return sendError(diskFull(), request, reply);
  }
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
  if (nulErrors.has(error.code))
    return reply
      .code(400)
      .send(
        errorBody(
          "invalid-text",
          "The request contains a NUL character, which the hub cannot store. Remove it.",
        ),
      );
  const { statusCode = 500 } = error;
  if (statusCode < 500)
    return reply.code(statusCode).send({
      ...errorBody("invalid-request", error.message),
      code: error.code ?? "invalid-request",
    });
  request.log.error({ err: error }, "request failed");
  return reply
    .code(500)
    .send(
      errorBody("internal", `The hub failed. Report the request ID ${request.id} to its operator.`),
    );
}
