import type { FastifyReply, FastifyRequest } from "fastify";

import type { Representation } from "./representation.ts";

/** Sends a representation, or 304 if the client has it already. */
export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
): FastifyReply {
  if (isFresh(request, representation)) return sendNotModified(reply, representation.headers);
  return reply.headers(representation.headers).send(representation.body);
}

/** Sends 304 without the headers that describe a body. */
export function sendNotModified(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const withoutContent = Object.entries(headers).filter(([name]) => !name.startsWith("content-"));
  return reply.code(304).headers(Object.fromEntries(withoutContent)).send();
}

/** Whether the client's copy is current. `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110). */
export function isFresh(
  { headers }: Pick<FastifyRequest, "headers">,
  { etag, modified }: { readonly etag: string; readonly modified: number },
): boolean {
  const clientTags = headers["if-none-match"];
  if (clientTags !== undefined) {
    if (clientTags === etag || clientTags === "*") return true;
    return clientTags.split(",").some((tag) => opaqueTag(tag) === opaqueTag(etag));
  }
  const since = headers["if-modified-since"];
  return since !== undefined && modified <= Date.parse(since);
}

/** The tag without `W/`: `If-None-Match` uses weak comparison. */
function opaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}
