import "@fastify/swagger";
import type { Readable } from "node:stream";

import type { SwaggerTransformObject } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import * as z from "zod";

const errorBody = z.object({
  detail: z.union([
    z.string(),
    z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
  ]),
});

/** Response schemas of failed requests. */
export const errorResponses = { "4xx": errorBody, "5xx": errorBody };

/** Response schema of plain text. */
export const textResponse = { content: { "text/plain": { schema: z.string() } } };

const serverSentEvent = z.object({ event: z.string().optional(), data: z.string().optional() });

/** Response schema of a stream of server-sent events. The schema describes one event; the handler sends the stream. */
export const eventStreamResponse = {
  content: {
    "text/event-stream": { schema: serverSentEvent as z.ZodType as z.ZodType<string | Readable> },
  },
};

/** Serves an OpenAPI document with the routes below the scope's prefix, as if the environment had its own server. */
export function environmentOpenapiRoute(
  app: FastifyInstance,
  { name, description }: { readonly name: string; readonly description: string },
): void {
  const prefix = `${app.prefix}/`;
  app.get("/openapi.json", { schema: { hide: true } }, () => {
    const { info, paths = {}, ...document } = app.swagger();
    const ownPaths = Object.entries(paths)
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, item]) => [`/${path.slice(prefix.length)}`, item]);
    return {
      ...document,
      info: { ...info, title: name, description },
      servers: [{ url: app.prefix }],
      paths: Object.fromEntries(ownPaths),
    };
  });
}

interface Operation {
  readonly requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
  };
}

/** Marks request bodies that may be `null` as optional. */
export const withOptionalBodies: SwaggerTransformObject = (document) => {
  if (!("openapiObject" in document)) return document.swaggerObject;
  const paths = Object.values(document.openapiObject.paths ?? {});
  const operations = paths.flatMap((path) => Object.values(path ?? {}) as Operation[]);
  for (const { requestBody } of operations)
    if (requestBody !== undefined && Object.values(requestBody.content).some(isNullable))
      requestBody.required = false;
  return document.openapiObject;
};

function isNullable({ schema = {} }: { readonly schema?: object }): boolean {
  const { anyOf = [] } = schema as { readonly anyOf?: readonly { readonly type?: unknown }[] };
  return anyOf.some(({ type }) => type === "null");
}
