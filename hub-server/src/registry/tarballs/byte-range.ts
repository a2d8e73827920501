import type { IncomingHttpHeaders } from "node:http";

import parseRange from "range-parser";

/** The first and the last byte of a part, both inclusive. */
export interface ByteRange {
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
export function requestedRange(
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
