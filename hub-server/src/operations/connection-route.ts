import type { FastifyInstance } from "fastify";

/** `GET /-/connection`: what the hub sees of a request, so that `envs-hub doctor` can check the proxy. */
export function connectionRoute(app: FastifyInstance): void {
  app.get("/-/connection", ({ ip, protocol, host, socket }, reply) =>
    reply
      .header("cache-control", "no-store")
      .send({ address: ip, peer: socket.remoteAddress ?? "", protocol, host }),
  );
}
