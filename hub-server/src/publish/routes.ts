import type { FastifyInstance, FastifyRequest } from "fastify";

import { publishingRight } from "../access/publishing.ts";
import { type Identity, requirePublisher } from "../accounts/identity.ts";
import { requireSecondFactorFor } from "../accounts/second-factor.ts";
import { changeByDocument } from "../changes/by-document.ts";
import { packageRoute } from "../http/package-route.ts";
import type { Hub } from "../hub.ts";
import { publishDocument } from "./document.ts";
import { bodyLimitOf, limitsOf } from "./limits.ts";
import { type Published, publishVersions } from "./publish.ts";
import { addedBy, requireQuota } from "./quota.ts";
import { verifyPublish } from "./verify.ts";

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
