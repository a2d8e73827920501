import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { DownloadCounts } from "../downloads/count.ts";
import { isFresh, sendNotModified } from "../responses/conditional-response.ts";
import { responseCache } from "../responses/response-cache.ts";
import { mismatchedIntegrity, servedTarball, type ServedTarball } from "./served-tarball.ts";

const maxBytes = 128 * 2 ** 20;

/** Routes that serve tarballs, and count the downloads. */
export function tarballRoutes(app: FastifyInstance, hub: Hub, downloads: DownloadCounts): void {
  const cache = responseCache<ServedTarball>({
    maxBytes,
    bytesOf: ({ bytes }) => bytes?.byteLength ?? 0,
  });
  hub.onInvalidate(cache.invalidate);

  packageRoute(app, {
    method: ["GET", "HEAD"],
    after: "/-/:file",
    handler(name, request, reply) {
      const { file } = request.params as { readonly file: string };
      const cached = cache.peek(name, file);
      if (cached?.isPublic === true) return send(cached, request, reply);
      return readablePackage(hub, request, name)
        .then((package_) =>
          cache.get({ name, variant: file }, async () => {
            const tarball = await servedTarball(hub, package_, file);
            if (tarball === undefined) throw notFound(`${name}/-/${file}`);
            return tarball;
          }),
        )
        .then((tarball) => send(tarball, request, reply));
    },
  });

  function send(
    tarball: ServedTarball,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply | Promise<FastifyReply> {
    const expected = mismatchedIntegrity(request.headers["pacote-integrity"], tarball.integrity);
    if (expected !== undefined)
      request.log.warn(
        { expected, actual: tarball.integrity },
        "a client expects a tarball with another hash",
      );
    if (isFresh(request, tarball)) return sendNotModified(reply, tarball.headers);
    void reply.headers(tarball.headers);
    if (request.method === "HEAD") return reply.send();
    downloads.count(tarball.versionId);
    return tarball.bytes === undefined ? stream(tarball, reply) : reply.send(tarball.bytes);
  }

  async function stream({ blob }: ServedTarball, reply: FastifyReply): Promise<FastifyReply> {
    const stored = await hub.blobs.stream(blob);
    if (stored === undefined) throw new Error(`Blob ${blob} is missing from the store.`);
    return reply.send(stored.body);
  }
}
