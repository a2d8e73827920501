import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

type Handler = (name: string, request: FastifyRequest, reply: FastifyReply) => unknown;

/** A handler with what happens before it. */
interface GuardedHandler {
  readonly bodyLimit: number;
  /** Runs before the body is read, so that unauthorized clients cannot upload. */
  readonly onRequest: (request: FastifyRequest) => Promise<void>;
  readonly handler: Handler;
}

type Parameters = { readonly name: string; readonly scope?: string };

/**
 * Adds a route whose path contains a package name, such as `GET,HEAD /:package/-/:file`. Clients write a scoped name in one
 * path segment (`@envs%2ftictactoe`) or two.
 */
export function packageRoute(
  app: FastifyInstance,
  route: string,
  handling: Handler | GuardedHandler,
): void {
  const [methods = "", path = ""] = route.split(" ");
  const { handler, ...rest } = typeof handling === "function" ? { handler: handling } : handling;
  const call = (request: FastifyRequest, reply: FastifyReply): unknown =>
    handler(nameIn(request), request, reply);
  const options = { ...rest, method: methods.split(","), handler: call };
  app.route({ ...options, url: path.replace(":package", ":name") });
  app.route({ ...options, url: path.replace(":package", ":scope(^@[^/]+$)/:name") });
}

function nameIn(request: FastifyRequest): string {
  const { scope, name } = request.params as Parameters;
  return scope === undefined ? name : `${scope}/${name}`;
}
