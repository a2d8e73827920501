import type { SwaggerTransformObject } from "@fastify/swagger";

interface Operation {
  readonly requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
  };
}

/** Tells of bodies that may be `null` that they may be left out, too. */
export const withOptionalBodies: SwaggerTransformObject = (document) => {
  if (!("openapiObject" in document)) return document.swaggerObject;
  const paths = Object.values(document.openapiObject.paths ?? {});
  const operations = paths.flatMap((path) => Object.values(path ?? {}) as Operation[]);
  for (const { requestBody } of operations)
    if (requestBody !== undefined && Object.values(requestBody.content).some(mayBeNull))
      requestBody.required = false;
  return document.openapiObject;
};

function mayBeNull({ schema = {} }: { readonly schema?: object }): boolean {
  const { anyOf = [] } = schema as { readonly anyOf?: readonly { readonly type?: unknown }[] };
  return anyOf.some(({ type }) => type === "null");
}
