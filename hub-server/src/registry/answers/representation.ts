import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import type { Encoding } from "./negotiation.ts";

/** An answer down to its bytes: nothing is left to be done but to send it. */
export interface Representation {
  /** Whether anybody may have it; else the permission is asked for each time. */
  readonly isPublic: boolean;
  readonly etag: string;
  /** Milliseconds, but of whole seconds. */
  readonly modified: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A document that is to be sent. */
export interface Draft {
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

const compress = { gzip: promisify(gzip), br: promisify(brotliCompress) };
/** Between the quickest and the smallest: beyond it, each step costs twice the time for a hundredth of the bytes. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** What fits into one packet does not travel faster when it is smaller. */
const worthwhile = 1200;

/** Writes a document out, compresses it, and notes what its headers say. */
export async function represent({
  document,
  type,
  encoding,
  source,
}: Draft): Promise<Representation> {
  const text = Buffer.from(JSON.stringify(document));
  const isPacked = encoding !== "identity" && text.length >= worthwhile;
  const digest = hash("sha256", text, "base64url").slice(0, 27);
  // Weak: the same for every encoding, as a client may ask again with another than it had.
  const etag = `W/"${digest}"`;
  const body = isPacked ? await packed(text, encoding) : text;
  const modified = Math.floor(source.modified_at.getTime() / 1000) * 1000;
  return {
    isPublic: source.access === "public",
    etag,
    modified,
    body,
    headers: {
      "content-type": type,
      "content-length": String(body.length),
      ...(isPacked && { "content-encoding": encoding }),
      etag,
      "last-modified": new Date(modified).toUTCString(),
      "cache-control": "private, max-age=0, must-revalidate",
      vary: "Accept, Accept-Encoding",
      ...(source.archived_at !== null && { "npm-notice": archived(source.name) }),
    },
  };
}

function packed(text: Buffer, encoding: "br" | "gzip"): Promise<Buffer> {
  return encoding === "br" ? compress.br(text, brotli) : compress.gzip(text);
}

/** For whoever shows it: npm does of answers that it does not keep. */
function archived(name: string): string {
  return `${name} is archived: it stays installable, and nothing new will be published.`;
}
