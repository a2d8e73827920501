import { type Route, routes } from "@envs/hub-client";
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

/** What the API is: for programs at `/api/openapi.json`, for people at `/api/reference`, for language models at `/llms.txt`. */
export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  let text: string | undefined;
  app.get("/api/openapi.json", (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(text);
  });
  app.get("/llms.txt", (_request, reply) => reply.type("text/plain; charset=utf-8").send(summary));
  await app.register(swaggerUi, {
    routePrefix: "/api/reference",
    staticCSP: policy,
    theme: { title: "The API of an envs hub" },
    uiConfig: { layout: "BaseLayout", docExpansion: "list", persistAuthorization: false },
  });
}

const lines = Object.values<Route>(routes).map(
  ({ method, path, summary }) => `- ${method} ${path}: ${summary}`,
);

const summary = `# An envs hub

An npm registry of reinforcement-learning environments for language models. npm, pnpm and Yarn install from it; every
address is at the root of this host. All of it as OpenAPI 3.1: /api/openapi.json

${lines.join("\n")}
`;
