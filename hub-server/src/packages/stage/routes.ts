import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";

import { requireIdentity, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { publisherHook } from "../publish/inspect-upload.ts";
import { authorize, bodyLimitOf, limitsOf } from "../publish/publish.ts";
import { approveStaged, rejectStaged } from "./decide.ts";
import { stageVersion } from "./stage-version.ts";
import { requireStaged, stagedPage, type StagedVersion } from "./staged.ts";

const pageQuery = z.object({
  page: z.coerce.number().int().min(0).max(1_000_000).default(0),
  perPage: z.coerce.number().int().min(1).max(100).default(100),
  package: z.string().optional(),
});

/** `npm stage`: users propose versions without a second factor, and an owner publishes them with one. */
export function stageRoutes(app: FastifyInstance, hub: Hub): void {
  const { onRequest, publisherOf } = publisherHook(hub);
  packageRoute(app, "POST /-/stage/package/:package", {
    bodyLimit: bodyLimitOf(limitsOf(hub.settings)),
    onRequest,
    async handler(name, request, reply) {
      const identity = publisherOf(request);
      const stageId = await stageVersion(hub, { identity, name, body: request.body });
      return await reply.code(201).send({ stageId });
    },
  });
  app.get("/-/stage", { schema: { querystring: pageQuery } }, async (request) => {
    const identity = await requireIdentity(hub, request);
    const { page, perPage, package: name } = request.query as z.output<typeof pageQuery>;
    const { items, total } = await stagedPage(hub.database, identity, { name, page, perPage });
    return { items: items.map(itemOf), total, page, perPage };
  });
  app.get("/-/stage/:id", async (request) => itemOf(await readStaged(request)));
  app.get("/-/stage/:id/tarball", async (request, reply) =>
    sendTarball(await readStaged(request), reply),
  );
  app.post("/-/stage/:id/approve", async (request, reply) => {
    const identity = await requireWriter(hub, request);
    const staged = await requireStaged(hub.database, identity, {
      id: idIn(request),
      action: "approve",
    });
    const right = await authorize(hub, request, identity, staged.name);
    await approveStaged(hub, { identity, staged, right });
    return await reply.code(201).send({ ok: true });
  });
  app.delete("/-/stage/:id", async (request) => {
    const identity = await requireWriter(hub, request);
    const staged = await requireStaged(hub.database, identity, {
      id: idIn(request),
      action: "reject",
    });
    await requireSecondFactor(hub, request, identity);
    await rejectStaged(hub, { identity, staged });
    return { ok: true };
  });

  async function readStaged(request: FastifyRequest): Promise<StagedVersion> {
    const identity = await requireIdentity(hub, request);
    return await requireStaged(hub.database, identity, { id: idIn(request), action: "read" });
  }

  async function sendTarball({ blob }: StagedVersion, reply: FastifyReply): Promise<FastifyReply> {
    const tarball = await hub.blobs.stream(blob);
    if (tarball === undefined) throw new Error(`The blob ${blob} is missing.`);
    return await reply
      .header("content-type", "application/octet-stream")
      .header("content-length", tarball.size)
      .header("cache-control", "private, no-store")
      .send(tarball.body);
  }
}

function idIn({ params }: FastifyRequest): string {
  return (params as { readonly id: string }).id;
}

/** A staged version in the format of npm's clients. */
function itemOf({ id, name, version, tag, created_at, actor, actor_type, shasum }: StagedVersion) {
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
