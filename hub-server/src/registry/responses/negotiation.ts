import type { IncomingHttpHeaders } from "node:http";

import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";

/** The form and encoding of a packument that a client prefers. */
export interface PackumentFormat {
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
