import "@fastify/swagger";
import type { FastifyInstance } from "fastify";

import type { EnvironmentCard } from "../host/host.ts";

/** The OpenAPI document of one environment alone: its address is then that of a server with nothing else. */
export function openapiRoute(app: FastifyInstance, { name, description }: EnvironmentCard): void {
  const prefix = `${app.prefix}/`;
  app.get("/openapi.json", { schema: { hide: true } }, () => {
    const { info, paths = {}, ...rest } = app.swagger();
    const own = Object.entries(paths).filter(([path]) => path.startsWith(prefix));
    return {
      ...rest,
      info: { ...info, title: name, description },
      servers: [{ url: app.prefix }],
      paths: Object.fromEntries(own.map(([path, each]) => [`/${path.slice(prefix.length)}`, each])),
    };
  });
}
