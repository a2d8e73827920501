import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";

import { publishingRight } from "../../access/permissions/publishing-right.ts";
import {
  requireIdentity,
  requirePublisher,
  requireWriter,
} from "../../identity/request/identity.ts";
import {
  requireSecondFactor,
  requireSecondFactorFor,
} from "../../identity/second-factor/second-factor.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { publishDocument } from "../publish/document.ts";
import { bodyLimitOf, limitsOf } from "../publish/limits.ts";
import { addedBy, requireQuota } from "../publish/quota.ts";
import { verifyPublish } from "../publish/verify.ts";
import { approveStaged } from "./approve.ts";
import { rejectStaged } from "./reject.ts";
import { stageVersion } from "./stage-version.ts";
import { requireStaged, type Staged, stagedPage } from "./staged.ts";

const listing = z.object({
  page: z.coerce.number().int().min(0).max(1_000_000).default(0),
  perPage: z.coerce.number().int().min(1).max(100).default(100),
  package: z.string().optional(),
});

/** `npm stage`: versions are proposed without a second factor, and published by an owner with one. */
export function stageRoutes(app: FastifyInstance, hub: Hub): void {
  const limits = limitsOf(hub.settings);
  packageRoute(app, {
    method: "POST",
    before: "/-/stage/package/",
    bodyLimit: bodyLimitOf(limits),
    onRequest: async (request) => void (await requirePublisher(hub, request)),
    async handler(name, request, reply) {
      const identity = await requirePublisher(hub, request);
      const right = await publishingRight(hub.database, { identity, name, wanted: "stage" });
      const document = publishDocument(request.body, name, limits);
      await requireQuota(hub.database, hub.settings, [addedBy(right, document)]);
      const verified = await verifyPublish(document, limits);
      const stageId = await stageVersion(hub, { identity, verified });
      return await reply.code(201).send({ stageId });
    },
  });
  app.get("/-/stage", { schema: { querystring: listing } }, async (request) => {
    const identity = await requireIdentity(hub, request);
    const { page, perPage, package: name } = request.query as z.output<typeof listing>;
    const { items, total } = await stagedPage(hub.database, identity, { name, page, perPage });
    return { items: items.map(itemOf), total, page, perPage };
  });
  app.get("/-/stage/:id", async (request) => itemOf(await asked(request)));
  app.get("/-/stage/:id/tarball", async (request, reply) => send(await asked(request), reply));
  app.post("/-/stage/:id/approve", async (request, reply) => {
    const identity = await requireWriter(hub, request);
    const staged = await requireStaged(hub.database, identity, {
      id: idIn(request),
      wanted: "admin",
    });
    const right = await publishingRight(hub.database, { identity, name: staged.name });
    await requireSecondFactorFor(hub, request, { identity, found: right.existing });
    await approveStaged(hub, { identity, staged, right });
    return await reply.code(201).send({ ok: true });
  });
  app.delete("/-/stage/:id", async (request) => {
    const identity = await requireWriter(hub, request);
    const staged = await requireStaged(hub.database, identity, {
      id: idIn(request),
      wanted: "read",
    });
    await requireSecondFactor(hub, request, identity);
    await rejectStaged(hub, { identity, staged });
    return { ok: true };
  });

  async function asked(request: FastifyRequest): Promise<Staged> {
    const identity = await requireIdentity(hub, request);
    return await requireStaged(hub.database, identity, { id: idIn(request), wanted: "read" });
  }

  async function send({ blob }: Staged, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await hub.blobs.stream(blob);
    if (opened === undefined) throw new Error(`The blob ${blob} is missing.`);
    return await reply
      .header("content-type", "application/octet-stream")
      .header("content-length", opened.size)
      .header("cache-control", "private, no-store")
      .send(opened.body);
  }
}

function idIn({ params }: FastifyRequest): string {
  return (params as { readonly id: string }).id;
}

/** What clients show of a version that waits. */
function itemOf({ id, name, version, tag, created_at, actor, actor_type, shasum }: Staged) {
  return {
    id,
    packageName: name,
    version,
    tag,
    createdAt: created_at.toISOString(),
    actor,
    actorType: actor_type,
    shasum,
  };
}
