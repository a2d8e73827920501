import type { FastifyInstance } from "fastify";

import { requireWriter } from "../../identity/request/identity.ts";
import { bodyLimitOf, limitsOf } from "../../packages/publish/limits.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changeByDocument } from "./by-document.ts";

/** A document that is sent back to the revision it was made of: `npm owner`, `npm unpublish` of a version. */
export function changeRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, {
    method: "PUT",
    after: "/-rev/:rev",
    bodyLimit: bodyLimitOf(limitsOf(hub.settings)),
    onRequest: async (request) => void (await requireWriter(hub, request)),
    async handler(name, request, reply) {
      const { rev } = request.params as { readonly rev: string };
      const answer = await changeByDocument(hub, request, { name, document: request.body, rev });
      return await reply.code(201).send(answer);
    },
  });
}
