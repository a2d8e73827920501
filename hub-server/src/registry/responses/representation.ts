import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";

/** The bytes and headers of a response, ready to send. */
export interface Representation {
  /** If false, each request needs a permission check. */
  readonly isPublic: boolean;
  readonly etag: string;
  /** Milliseconds since the epoch, rounded down to seconds. */
  readonly modified: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A document to represent, and its package. */
interface DocumentInput {
  readonly document: unknown;
  readonly type: string;
  readonly encoding: Encoding;
  readonly source: {
    readonly name: string;
    readonly access: "public" | "restricted";
    readonly modified_at: Date;
    readonly archived_at: Date | null;
  };
}

const compressors = { gzip: promisify(gzip), br: promisify(brotliCompress) };
/** Quality 5: each higher level doubles the time and saves about one percent. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** The minimum size of a compressed response; a smaller one fits into one packet anyway. */
const minCompressedBytes = 1200;

/** Serialises and compresses a document, and computes its headers. */
export async function represent({
  document,
  type,
  encoding,
  source,
}: DocumentInput): Promise<Representation> {
  const bytes = Buffer.from(JSON.stringify(document));
  const vary = "Accept, Accept-Encoding";
  const { etag, body, headers } = await representBytes({ bytes, type, encoding, vary });
  const modified = Math.floor(source.modified_at.getTime() / 1000) * 1000;
  return {
    isPublic: source.access === "public",
    etag,
    modified,
    body,
    headers: {
      ...headers,
      "last-modified": new Date(modified).toUTCString(),
      ...(source.archived_at !== null && { "npm-notice": archivedNotice(source.name) }),
    },
  };
}

/** Compresses bytes and computes the headers that clients revalidate them with. */
export async function representBytes({
  bytes,
  type,
  encoding,
  vary,
}: {
  readonly bytes: Buffer;
  readonly type: string;
  readonly encoding: Encoding;
  readonly vary: string;
}): Promise<Pick<Representation, "etag" | "body" | "headers">> {
  const isCompressed = encoding !== "identity" && bytes.length >= minCompressedBytes;
  const digest = hash("sha256", bytes, "base64url").slice(0, 27);
  // Weak, because all encodings share it: a client may revalidate with another encoding.
  const etag = `W/"${digest}"`;
  const body = isCompressed ? await compressed(bytes, encoding) : bytes;
  return {
    etag,
    body,
    headers: {
      "content-type": type,
      "content-length": String(body.length),
      ...(isCompressed && { "content-encoding": encoding }),
      etag,
      "cache-control": "private, max-age=0, must-revalidate",
      vary,
    },
  };
}

function compressed(text: Buffer, encoding: "br" | "gzip"): Promise<Buffer> {
  return encoding === "br" ? compressors.br(text, brotli) : compressors.gzip(text);
}

/** npm prints `npm-notice` of responses that it does not cache. */
function archivedNotice(name: string): string {
  return `${name} is archived: it can be installed, but gets no new versions.`;
}

/** The form and encoding of a packument that a client prefers. */
interface PackumentFormat {
  /** `page` for browsers that open the address of a package. */
  readonly form: "full" | "abbreviated" | "page";
  readonly encoding: Encoding;
}

export type Encoding = "br" | "gzip" | "identity";

/** The media type of an abbreviated packument; clients check it. */
export const abbreviatedType = "application/vnd.npm.install-v1+json";

const encodings = ["br", "gzip", "identity"] as const;
const types = ["application/json", abbreviatedType, "text/html"];
const forms: Readonly<Record<string, PackumentFormat["form"]>> = {
  [abbreviatedType]: "abbreviated",
  "text/html": "page",
};

/** A cache by headers: there are few kinds of clients, and each sends the same headers with every request. */
const formats = new LRUCache<string, PackumentFormat>({ max: 200 });

/** Reads `Accept` and `Accept-Encoding`. Defaults to the full, uncompressed packument. */
export function negotiate(headers: IncomingHttpHeaders): PackumentFormat {
  const key = `${headers.accept ?? ""}\n${headers["accept-encoding"] ?? ""}`;
  const cached = formats.get(key);
  if (cached !== undefined) return cached;
  const negotiator = new Negotiator({ headers });
  const format: PackumentFormat = {
    form: forms[negotiator.mediaType(types) ?? ""] ?? "full",
    encoding: (negotiator.encoding(encodings) as Encoding | undefined) ?? "identity",
  };
  if (key.length < 1000) formats.set(key, format);
  return format;
}
