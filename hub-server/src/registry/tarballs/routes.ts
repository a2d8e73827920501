import type { IncomingHttpHeaders } from "node:http";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import parseRange from "range-parser";

import { installablePackage } from "../../access/permissions/require-package.ts";
import { rejectTakenDown } from "../../access/permissions/restriction.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type FoundUpstream, upstreamOf } from "../../upstream/find-upstream.ts";
import type { DownloadCounts } from "../downloads/count.ts";
import { isFresh, sendNotModified } from "../responses/conditional-response.ts";
import { responseCache } from "../responses/response-cache.ts";
import {
  mismatchedIntegrity,
  newDownload,
  servedFromUpstream,
  servedTarball,
  type ServedTarball,
  versionIn,
} from "./served-tarball.ts";

const maxBytes = 128 * 2 ** 20;

/** Routes that serve tarballs, and count the downloads. */
export function tarballRoutes(app: FastifyInstance, hub: Hub, downloads: DownloadCounts): void {
  const cache = responseCache<ServedTarball>({
    maxBytes,
    bytesOf: ({ bytes }) => bytes?.byteLength ?? 0,
  });
  hub.onInvalidate(cache.invalidate);

  packageRoute(app, "GET,HEAD /:package/-/:file", (name, request, reply) => {
    const { file } = request.params as { readonly file: string };
    const cached = cache.peek(name, file);
    if (cached?.isPublic === true) return send(cached, request, reply);
    return respond(name, file, request, reply);
  });

  async function respond(
    name: string,
    file: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const upstream = await upstreamOf(hub, request, name);
    // A part can only be sent of a tarball whose size is known.
    const isWhole = request.method === "GET" && request.headers.range === undefined;
    if (upstream !== undefined && isWhole && cache.peek(name, file) === undefined) {
      const download = await newDownload(hub, upstream, { name, file });
      if (download !== undefined)
        return reply
          .headers({ "content-type": "application/octet-stream", "cache-control": "no-store" })
          .send(download);
    }
    return await send(await load(name, file, { request, upstream }), request, reply);
  }

  async function load(
    name: string,
    file: string,
    {
      request,
      upstream,
    }: { readonly request: FastifyRequest; readonly upstream: FoundUpstream | undefined },
  ): Promise<ServedTarball> {
    const package_ =
      upstream === undefined ? await installablePackage(hub, request, name) : undefined;
    return await cache.get({ name, variant: file }, async () => {
      const tarball =
        package_ === undefined
          ? upstream && (await servedFromUpstream(hub, upstream, { name, file }))
          : await servedTarball(hub, package_, file);
      if (tarball !== undefined) return tarball;
      if (package_ !== undefined)
        await rejectTakenDown(hub.database, package_, versionIn(name, file) ?? "");
      throw notFound(`${name}/-/${file}`);
    });
  }

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
    const isHead = request.method === "HEAD";
    const range = isHead ? undefined : requestedRange(request.headers, tarball);
    if (range === "unsatisfiable") throw rangeNotSatisfiable(tarball.size);
    void reply.headers(tarball.headers);
    if (isHead) return reply.send();
    // A client that resumes a download was counted when it began.
    if (tarball.versionId !== undefined && (range === undefined || range.start === 0))
      downloads.count(tarball.versionId);
    if (range !== undefined)
      void reply.code(206).headers({
        "content-length": String(range.end - range.start + 1),
        "content-range": `bytes ${range.start}-${range.end}/${tarball.size}`,
      });
    if (tarball.bytes === undefined) return stream(tarball, range, reply);
    return reply.send(range ? tarball.bytes.subarray(range.start, range.end + 1) : tarball.bytes);
  }

  async function stream(
    { blob }: ServedTarball,
    range: ByteRange | undefined,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const stored = await hub.blobs.stream(blob, range);
    if (stored === undefined) throw new Error(`Blob ${blob} is missing from the store.`);
    return reply.send(stored.body);
  }
}

function rangeNotSatisfiable(size: number): HubError {
  return new HubError("range-not-satisfiable", {
    message: `The tarball has ${size} bytes, and the range of the request begins after them. Request bytes 0 to ${size - 1}, or the whole tarball.`,
    headers: { "content-range": `bytes */${size}` },
  });
}

/** The first and the last byte of a part, both inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

interface Content {
  readonly size: number;
  readonly etag: string;
  /** Milliseconds since the epoch, in whole seconds. */
  readonly modified: number;
}

/**
 * The part that a request asks for, or `undefined` to send everything: without `Range`, with several ranges or a malformed
 * one, and if `If-Range` names other content (RFC 9110, section 14).
 */
function requestedRange(
  headers: IncomingHttpHeaders,
  content: Content,
): ByteRange | "unsatisfiable" | undefined {
  if (headers.range === undefined || !isSameContent(headers["if-range"], content)) return undefined;
  const ranges = parseRange(content.size, headers.range, { combine: true });
  if (ranges === -1) return "unsatisfiable";
  if (ranges === -2 || ranges.type !== "bytes" || ranges.length !== 1) return undefined;
  return ranges[0];
}

/** Weak tags never match, and a date must be the last modification. */
function isSameContent(
  condition: string | readonly string[] | undefined,
  { etag, modified }: Content,
): boolean {
  if (condition === undefined) return true;
  return (
    typeof condition === "string" && (condition === etag || Date.parse(condition) === modified)
  );
}
