import type { FastifyInstance, FastifyReply } from "fastify";

import type { Access } from "../access.ts";
import type { ServeContext } from "../context.ts";
import { readAssets } from "./assets.ts";
import { keyPage, playPage } from "./page.ts";
import { playable } from "./playable.ts";

/** Nothing but the page's own files runs there, and it speaks with nobody but this server. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** A page on which a person plays. What asks for the key answers without it. */
export function webRoutes(app: FastifyInstance, context: ServeContext, access: Access): void {
  const page = playPage([...context.environments.values()].map(playable));
  const assets = readAssets();
  const open = { schema: { hide: true }, config: { isOpen: true } };

  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );

  app.get("/web", open, (request, reply) =>
    access.allows(request.headers) ? send(reply, page) : send(reply.code(401), keyPage(false)),
  );

  app.post<{ Body: unknown }>("/web/key", { ...open, bodyLimit: 10_000 }, (request, reply) => {
    const { body } = request;
    const key = body instanceof URLSearchParams ? body.get("key") : null;
    if (key === null || !access.isKey(key)) return send(reply.code(401), keyPage(true));
    const isSecure = request.headers["x-forwarded-proto"] === "https";
    return reply.header("set-cookie", access.cookie(isSecure)).redirect("/web", 303);
  });

  app.get<{ Params: { file: string } }>("/web/:file", open, (request, reply) => {
    const asset = assets.get(request.params.file);
    if (asset === undefined) return reply.callNotFound();
    return reply
      .headers(headers)
      .header("cache-control", "no-cache")
      .type(asset.type)
      .send(asset.text);
  });
}

function send(reply: FastifyReply, page: string): FastifyReply {
  return reply.headers(headers).type("text/html; charset=utf-8").send(page);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a route answers also those who do not send the key. */
    isOpen?: boolean;
  }
}
