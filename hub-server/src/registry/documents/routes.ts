import type { FastifyInstance, FastifyRequest } from "fastify";

import { publishingRight } from "../../access/permissions/publishing-right.ts";
import { type Identity, requirePublisher } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import { publishDocument } from "../../packages/publish/document.ts";
import { bodyLimitOf, limitsOf } from "../../packages/publish/limits.ts";
import { type Published, publishVersions } from "../../packages/publish/publish.ts";
import { addedBy, requireQuota } from "../../packages/publish/quota.ts";
import { verifyPublish } from "../../packages/publish/verify.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changeByDocument } from "./by-document.ts";

/** `npm publish`, and whatever else npm's clients say by sending a package's document. */
export function publishRoutes(app: FastifyInstance, hub: Hub): void {
  const limits = limitsOf(hub.settings);
  const actors = new WeakMap<FastifyRequest, Identity>();

  packageRoute(app, {
    method: "PUT",
    bodyLimit: bodyLimitOf(limits),
    onRequest: async (request) => void actors.set(request, await requirePublisher(hub, request)),
    async handler(name, request, reply) {
      const { body } = request;
      if (!hasAttachments(body)) {
        const answer = await changeByDocument(hub, request, { name, document: body });
        return await reply.code(201).send(answer);
      }
      const [published] = await publish(name, request);
      return await reply.code(201).send({ ok: true, success: true, id: name, rev: published?.rev });
    },
  });

  async function publish(name: string, request: FastifyRequest): Promise<readonly Published[]> {
    const actor = actors.get(request) ?? (await requirePublisher(hub, request));
    const right = await publishingRight(hub.database, { identity: actor, name });
    await requireSecondFactorFor(hub, request, { identity: actor, found: right.existing });
    const document = publishDocument(request.body, name, limits);
    await requireQuota(hub.database, hub.settings, [addedBy(right, document)]);
    const verified = await verifyPublish(document, limits);
    return await publishVersions(hub, [{ actor, right, verified }]);
  }
}

/** A document that was read and sent back has the field, too, with nothing in it. */
function hasAttachments(body: unknown): boolean {
  const { _attachments } = (body ?? {}) as { readonly _attachments?: unknown };
  return Object.keys(_attachments ?? {}).length > 0;
}
