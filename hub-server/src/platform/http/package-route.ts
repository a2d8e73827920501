import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";

export interface PackageRoute {
  readonly method: HTTPMethods | HTTPMethods[];
  /** The path before and after the package's name, such as `/-/package/` and `/dist-tags/:tag`. */
  readonly before?: string;
  readonly after?: string;
  readonly bodyLimit?: number;
  /** Runs before the body is read, so that unauthorized clients cannot upload. */
  readonly onRequest?: (request: FastifyRequest) => Promise<void>;
  readonly handler: (name: string, request: FastifyRequest, reply: FastifyReply) => unknown;
}

type Parameters = { readonly name: string; readonly scope?: string };

/** Adds a route whose path contains a package name. Clients write a scoped name in one path segment (`@envs%2ftictactoe`) or two. */
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
