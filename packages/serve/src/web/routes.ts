import type { FastifyInstance, FastifyReply } from "fastify";

import type { ServeContext } from "../context.ts";
import type { Access } from "../http/access.ts";
import { readAssets } from "./assets.ts";
import { keyPage, playPage } from "./page.ts";
import { playableEnvironment } from "./playable-environment.ts";

/** The page runs only its own files, and connects only to this server. */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** The page on which a person plays. Its routes do not need the key; the page asks for it. */
export function webRoutes(app: FastifyInstance, context: ServeContext, access: Access): void {
  const page = playPage([...context.environments.values()].map(playableEnvironment));
  const assets = readAssets();
  const publicRoute = { schema: { hide: true }, config: { isPublic: true } };

  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );

  app.get("/web", publicRoute, (request, reply) =>
    access.problem(request.headers) === undefined
      ? sendPage(reply, page)
      : sendPage(reply.code(401), keyPage(false)),
  );

  app.post<{ Body: unknown }>(
    "/web/key",
    { ...publicRoute, bodyLimit: 10_000 },
    (request, reply) => {
      const { body } = request;
      const key = body instanceof URLSearchParams ? body.get("key") : null;
      if (key === null || !access.isKey(key)) return sendPage(reply.code(401), keyPage(true));
      const isSecure = request.headers["x-forwarded-proto"] === "https";
      return reply.header("set-cookie", access.cookie(isSecure)).redirect("/web", 303);
    },
  );

  app.get<{ Params: { file: string } }>("/web/:file", publicRoute, (request, reply) => {
    const asset = assets.get(request.params.file);
    if (asset === undefined) return reply.callNotFound();
    return reply
      .headers(headers)
      .header("cache-control", "no-cache")
      .type(asset.type)
      .send(asset.text);
  });
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.headers(headers).type("text/html; charset=utf-8").send(page);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route does not need the server's key. Default false. */
    isPublic?: boolean;
  }
}
