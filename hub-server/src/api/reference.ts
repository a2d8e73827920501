import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** The styles of the page are set by its script; nothing on it comes from elsewhere. */
const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": ["'self'", "'unsafe-inline'"],
  "img-src": ["'self'", "data:"],
  "connect-src": "'self'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** What the API is, for programs at `/api/openapi.json` and for people at `/api/reference`. */
export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  let text: string | undefined;
  app.get("/api/openapi.json", (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(text);
  });
  await app.register(swaggerUi, {
    routePrefix: "/api/reference",
    staticCSP: policy,
    theme: { title: "The API of an envs hub" },
    uiConfig: { layout: "BaseLayout", docExpansion: "list", persistAuthorization: false },
  });
}
