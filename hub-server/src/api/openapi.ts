import { routes } from "@envs/hub-client";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";

interface Components {
  readonly schemas?: Readonly<Record<string, unknown>>;
}

const description = `What a hub answers beside npm's own routes. Without a token you see what everybody sees; with one
(\`Authorization: Bearer …\`, made by \`npm token create\` or \`envs login\`) also what you may read, and you may change what
is yours. A refusal has a \`code\`, which is permanent, and a \`message\` for people.`;

/** In the order of the contract. */
const groups = [...new Set(Object.values(routes).map(({ group }) => group))];

/** Writes down every route of the contract that is registered after this, as OpenAPI 3.1. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    hideUntagged: true,
    transform: jsonSchemaTransform,
    transformObject: (document) => withoutUnused(jsonSchemaTransformObject(document)),
    openapi: {
      openapi: "3.1.0",
      info: { title: "The API of an envs hub", version: "1.0.0", description },
      tags: groups.map((name) => ({ name })),
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    },
  });
}

/** A schema with a name is described twice, as it is sent and as it is answered; most are one of these alone. */
function withoutUnused<Document extends object>(document: Document): Document {
  const { paths, components = {} } = document as { paths?: unknown; components?: Components };
  const { schemas = {} } = components;
  const used = new Set<string>();
  const open: unknown[] = [paths];
  for (let part = open.pop(); part !== undefined; part = open.pop())
    for (const [, name = ""] of JSON.stringify(part).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (used.has(name)) continue;
      used.add(name);
      open.push(schemas[name]);
    }
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, components: { ...components, schemas: Object.fromEntries(kept) } };
}
