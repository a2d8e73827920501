import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { answerCache } from "../answers/answer-cache.ts";
import { answerFresh, isFresh } from "../answers/answer.ts";
import type { DownloadCounts } from "../downloads/count.ts";
import { otherIntegrity } from "./other-integrity.ts";
import { servedTarball, type ServedTarball } from "./served-tarball.ts";

const maxBytes = 128 * 2 ** 20;

/** Routes that send tarballs: by the name of their file, which has the version in it. */
export function tarballRoutes(app: FastifyInstance, hub: Hub, downloads: DownloadCounts): void {
  const kept = answerCache<ServedTarball>({
    maxBytes,
    bytesOf: ({ bytes }) => bytes?.byteLength ?? 0,
  });
  hub.onInvalidate(kept.invalidate);

  packageRoute(app, {
    method: ["GET", "HEAD"],
    after: "/-/:file",
    handler(name, request, reply) {
      const { file } = request.params as { readonly file: string };
      const ready = kept.ready(name, file);
      if (ready?.isPublic === true) return send(ready, request, reply);
      return readablePackage(hub, request, name)
        .then((found) =>
          kept.get({ name, key: file }, async () => {
            const served = await servedTarball(hub, found, file);
            if (served === undefined) throw notFound(`${name}/-/${file}`);
            return served;
          }),
        )
        .then((served) => send(served, request, reply));
    },
  });

  function send(
    served: ServedTarball,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | Promise<FastifyReply> {
    const expected = otherIntegrity(request.headers["pacote-integrity"], served.integrity);
    if (expected !== undefined)
      request.log.warn({ expected, found: served.integrity }, "a client expects another tarball");
    if (isFresh(request, served)) return answerFresh(reply, served);
    void reply.headers(served.headers);
    if (request.method === "HEAD") return reply.send();
    downloads.count(served.versionId);
    return served.bytes === undefined ? stream(served, reply) : reply.send(served.bytes);
  }

  async function stream({ blob }: ServedTarball, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await hub.blobs.stream(blob);
    if (opened === undefined) throw new Error(`The blob ${blob} is missing.`);
    return reply.send(opened.body);
  }
}
