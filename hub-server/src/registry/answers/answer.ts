import type { FastifyReply, FastifyRequest } from "fastify";

import type { Representation } from "./representation.ts";

/** Sends what a client does not have yet. */
export function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  found: Representation,
): FastifyReply {
  if (isFresh(request, found)) return answerFresh(reply, found);
  return reply.headers(found.headers).send(found.body);
}

/** Says that the client's copy is still right. */
export function answerFresh(
  reply: FastifyReply,
  found: { readonly headers: Readonly<Record<string, string>> },
): FastifyReply {
  const ofTheCopy = Object.entries(found.headers).filter(([name]) => !name.startsWith("content-"));
  return reply.code(304).headers(Object.fromEntries(ofTheCopy)).send();
}

/** Whether the client's copy is this one. Where it names the copy, the time does not count. */
export function isFresh(
  { headers }: Pick<FastifyRequest, "headers">,
  { etag, modified }: { readonly etag: string; readonly modified: number },
): boolean {
  const named = headers["if-none-match"];
  if (named !== undefined) {
    if (named === etag || named === "*") return true;
    return named.split(",").some((each) => opaque(each) === opaque(etag));
  }
  const since = headers["if-modified-since"];
  return since !== undefined && modified <= Date.parse(since);
}

/** Whether a tag is weak makes no difference to a client that asks for news. */
function opaque(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}
