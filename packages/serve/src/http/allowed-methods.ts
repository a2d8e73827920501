import type { FastifyInstance, HTTPMethods } from "fastify";

/** Collects the methods of each path. Call it before routes are added, and the result once after. */
export function otherMethods(app: FastifyInstance): { reject(): void } {
  const methodsByPath = new Map<string, Set<HTTPMethods>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    methodsByPath.set(url, methods);
    for (const name of [method].flat()) methods.add(name);
  });
  return {
    /** Adds a route that responds with 405 for all other methods of each path. */
    reject() {
      const paths = [...methodsByPath].map(([url, methods]) => ({ url, allowed: [...methods] }));
      for (const { url, allowed } of paths) {
        const allow = allowed.join(", ");
        app.route({
          url,
          method: app.supportedMethods.filter((name) => !allowed.includes(name)),
          schema: { hide: true },
          // Responds before the body is read, which these methods may not have.
          onRequest: async ({ method }, reply) => {
            await reply
              .code(405)
              .header("allow", allow)
              .send({ detail: `This path does not support ${method}. Use ${allow}.` });
          },
          handler: () => undefined,
        });
      }
    },
  };
}
