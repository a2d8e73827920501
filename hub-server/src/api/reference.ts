import { type Route, routes } from "@envs/hub-client";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** Swagger UI sets inline styles from its script. Everything else comes from the hub. */
const contentSecurityPolicy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": ["'self'", "'unsafe-inline'"],
  "img-src": ["'self'", "data:"],
  "connect-src": "'self'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** Serves descriptions of the API: OpenAPI at `/api/openapi.json`, Swagger UI at `/api/reference`, Markdown at `/llms.txt`. */
export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  let openapi: string | undefined;
  app.get("/api/openapi.json", (_request, reply) => {
    openapi ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(openapi);
  });
  app.get("/llms.txt", (_request, reply) => reply.type("text/plain; charset=utf-8").send(markdown));
  await app.register(swaggerUi, {
    routePrefix: "/api/reference",
    staticCSP: contentSecurityPolicy,
    theme: { title: "API of the envs hub" },
    uiConfig: { layout: "BaseLayout", docExpansion: "list", persistAuthorization: false },
  });
}

const routeList = Object.values<Route>(routes).map(
  ({ method, path, summary }) => `- ${method} ${path}: ${summary}`,
);

const markdown = `# An envs hub

An npm registry of reinforcement-learning environments for language models. npm, pnpm and Yarn install from it. All paths
are relative to the root of this host. Full description as OpenAPI 3.1: /api/openapi.json

${routeList.join("\n")}
`;
