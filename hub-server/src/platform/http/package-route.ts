import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";

export interface PackageRoute {
  readonly method: HTTPMethods | HTTPMethods[];
  /** Before and after the package's name: `/-/package/` and `/dist-tags/:tag`. */
  readonly before?: string;
  readonly after?: string;
  readonly bodyLimit?: number;
  /** Before the body is read: who may not send it need not be listened to. */
  readonly onRequest?: (request: FastifyRequest) => Promise<void>;
  readonly handler: (name: string, request: FastifyRequest, reply: FastifyReply) => unknown;
}

type Parameters = { readonly name: string; readonly scope?: string };

/** Clients write a scoped name in one path part (`@envs%2ftictactoe`) or in two; a route of a package takes both. */
export function packageRoute(
  app: FastifyInstance,
  { method, before = "/", after = "", handler, ...rest }: PackageRoute,
): void {
  const call = (request: FastifyRequest, reply: FastifyReply): unknown =>
    handler(nameIn(request), request, reply);
  const options = { ...rest, method, handler: call };
  app.route({ ...options, url: `${before}:name${after}` });
  app.route({ ...options, url: `${before}:scope(^@[^/]+$)/:name${after}` });
}

function nameIn(request: FastifyRequest): string {
  const { scope, name } = request.params as Parameters;
  return scope === undefined ? name : `${scope}/${name}`;
}
