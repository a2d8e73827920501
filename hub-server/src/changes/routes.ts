import type { FastifyInstance } from "fastify";

import { packageRoute } from "../http/package-route.ts";
import type { Hub } from "../hub.ts";
import { changeByDocument } from "./by-document.ts";

/** A document that is sent back to the revision it was made of: `npm owner`, `npm unpublish` of a version. */
export function changeRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, {
    method: "PUT",
    after: "/-rev/:rev",
    bodyLimit: documentLimit,
    async handler(name, request, reply) {
      const { rev } = request.params as { readonly rev: string };
      const answer = await changeByDocument(hub, request, { name, document: request.body, rev });
      return await reply.code(201).send(answer);
    },
  });
}

/** All that is known of all versions: about 3 KiB each. */
const documentLimit = 32 * 2 ** 20;
