import { type Route, routes } from "@envs/hub-client";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";

interface Components {
  readonly schemas?: Readonly<Record<string, unknown>>;
}

const description = `The routes of a hub beside those of npm. Without a token, responses contain only public packages. With a
token (\`Authorization: Bearer …\`, created by \`npm token create\` or \`envs hub login\`), they also contain the private packages that
you may read, and you may change the packages that you may write to. An error response has a stable \`code\` and a readable
\`message\`.`;

/** The tags, in the order of the contract. */
const groups = [...new Set(Object.values(routes).map(({ group }) => group))];

/** Describes the routes of the contract as OpenAPI 3.1. Call it before they are registered. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    transform: jsonSchemaTransform,
    transformObject: (document) => withoutUnusedSchemas(jsonSchemaTransformObject(document)),
    openapi: {
      openapi: "3.1.0",
      info: { title: "API of the envs hub", version: "1.0.0", description },
      tags: groups.map((name) => ({ name })),
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    },
  });
}

/** Removes unreferenced schemas: the plugin adds each named one as an input and as an output, and most are only used as one. */
function withoutUnusedSchemas<Document extends object>(document: Document): Document {
  const { paths, components = {} } = document as { paths?: unknown; components?: Components };
  const { schemas = {} } = components;
  const used = new Set<string>();
  const queue: unknown[] = [paths];
  for (let part = queue.pop(); part !== undefined; part = queue.pop())
    for (const [, name = ""] of JSON.stringify(part).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (used.has(name)) continue;
      used.add(name);
      queue.push(schemas[name]);
    }
  const usedSchemas = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, components: { ...components, schemas: Object.fromEntries(usedSchemas) } };
}

/** Serves descriptions of the API for programs: OpenAPI at `/api/openapi.json`, Markdown at `/llms.txt`. */
export function referenceRoutes(app: FastifyInstance): void {
  let openapi: string | undefined;
  app.get("/api/openapi.json", (_request, reply) => {
    openapi ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(openapi);
  });
  app.get("/llms.txt", (_request, reply) => reply.type("text/plain; charset=utf-8").send(markdown));
}

const routeList = Object.values<Route>(routes).map(
  ({ method, path, summary }) => `- ${method} ${path}: ${summary}`,
);

const markdown = `# An envs hub

An npm registry of reinforcement-learning environments for language models. npm, pnpm and Yarn install from it. All paths
are relative to the root of this host. Full description as OpenAPI 3.1: /api/openapi.json

${routeList.join("\n")}
`;
