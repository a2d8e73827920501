import type { IncomingMessage } from "node:http";

import { HttpError } from "./http-error.ts";

/** How much of a body that is too large is read to its end, so that the caller hears why it is refused. */
const patience = 8;

/** Reads the body of a request. Throws an `HttpError` 413 if it is larger than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit * patience) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size <= limit) chunks.push(chunk as Buffer);
    if (size > limit * patience) break;
  }
  if (size > limit) throw tooLarge(limit);
  return Buffer.concat(chunks).toString();
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The request's body is larger than ${limit} bytes.`, {
    headers: { connection: "close" },
  });
}
