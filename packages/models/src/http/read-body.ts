import type { Readable } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

import { messageOf } from "@envs/core/engine";

import { ServerError } from "./server-error.ts";

/** The size above which a response is an error, of the server or of a decompressed body. Long replies with tokens have 10 MiB. */
const maxBytes = 64 * 2 ** 20;

const options = { maxOutputLength: maxBytes };

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(zlib.gunzip)(bytes, options),
  // `deflate` should have a zlib header, but some servers omit it.
  deflate: (bytes) =>
    (bytes[0]! & 0x0f) === 8
      ? promisify(zlib.inflate)(bytes, options)
      : promisify(zlib.inflateRaw)(bytes, options),
  br: (bytes) => promisify(zlib.brotliDecompress)(bytes, options),
  zstd: (bytes) => promisify(zlib.zstdDecompress)(bytes, options),
};

/** Reads the body of a response as text. Requests do not ask for compression, but proxies may compress nevertheless. */
export async function readBody(
  body: Readable,
  encoding: string | readonly string[] | undefined,
  server: string,
): Promise<string> {
  let bytes = await readBytes(body, server);
  const codings = [encoding ?? []].flat().flatMap((value) => value.toLowerCase().split(","));
  for (const coding of codings.map((value) => value.trim()).toReversed())
    if (bytes.length > 0 && coding !== "" && coding !== "identity")
      bytes = await decode(bytes, coding, server);
  // Removes a byte order mark, which `Buffer.toString` keeps.
  return new TextDecoder().decode(bytes);
}

async function decode(bytes: Buffer, coding: string, server: string): Promise<Buffer> {
  const name = coding.replace(/^x-/, "");
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (decoder === undefined)
    throw new ServerError(
      "fatal",
      `${server} compressed its response with ${coding}, which this client cannot read. Turn compression off in the server or its proxy.`,
    );
  try {
    return await decoder(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(server);
    throw new ServerError(
      "transient",
      `${server} sent a response that is not valid ${coding}: ${messageOf(error)}`,
    );
  }
}

function readBytes(body: Readable, server: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) body.destroy(tooLarge(server));
    });
    body.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    body.once("error", (error: unknown) => {
      if (error instanceof ServerError) return reject(error);
      const reason = messageOf(error);
      const message = `The connection to ${server} closed before the response was complete (${reason}).`;
      reject(new ServerError("transient", message, { cause: error }));
    });
  });
}

function tooLarge(server: string): ServerError {
  return new ServerError(
    "permanent",
    `The response of ${server} exceeds the limit of ${maxBytes / 2 ** 20} MiB.`,
  );
}
