import type { FastifyInstance } from "fastify";

import { requireWriter } from "../../identity/request/identity.ts";
import { bodyLimitOf, limitsOf } from "../../packages/publish/limits.ts";
import { publish } from "../../packages/publish/publish.ts";
import { publisherHook } from "../../packages/publish/publisher.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changeByDocument } from "./change-by-document.ts";

/** npm's `PUT /{name}`: publishes a version, or changes a package by its edited document. */
export function publishRoutes(app: FastifyInstance, hub: Hub): void {
  const { onRequest, publisherOf } = publisherHook(hub);
  packageRoute(app, "PUT /:package", {
    bodyLimit: bodyLimitOf(limitsOf(hub.settings)),
    onRequest,
    async handler(name, request, reply) {
      const { body } = request;
      if (!hasAttachments(body)) {
        const response = await changeByDocument(hub, request, { name, document: body });
        return await reply.code(201).send(response);
      }
      const [published] = await publish(hub, request, {
        identity: publisherOf(request),
        documents: [{ name, body }],
      });
      return await reply.code(201).send({ ok: true, success: true, id: name, rev: published?.rev });
    },
  });
}

/** `PUT /{name}/-rev/{rev}`: changes a package by the edited document of a revision, as `npm owner` and `npm unpublish` do. */
export function documentRevisionRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, "PUT /:package/-rev/:rev", {
    bodyLimit: bodyLimitOf(limitsOf(hub.settings)),
    onRequest: async (request) => void (await requireWriter(hub, request)),
    async handler(name, request, reply) {
      const { rev } = request.params as { readonly rev: string };
      const response = await changeByDocument(hub, request, { name, document: request.body, rev });
      return await reply.code(201).send(response);
    },
  });
}

/** An edited document can have an empty `_attachments`, because clients return the field that they received. */
function hasAttachments(body: unknown): boolean {
  const { _attachments } = (body ?? {}) as { readonly _attachments?: unknown };
  return Object.keys(_attachments ?? {}).length > 0;
}
