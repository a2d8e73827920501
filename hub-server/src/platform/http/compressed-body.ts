import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

import type { FastifyInstance, FastifyRequest } from "fastify";

import { HubError } from "../errors/hub-error.ts";
import { tooManyValues } from "./json-body.ts";

const inflaters = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Parses JSON bodies with gzip, deflate or br encoding. Stops at `maxBytes` of decompressed data. */
export function parseCompressedJson(app: FastifyInstance, maxBytes: number): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser(
    "application/json",
    async (request: FastifyRequest, payload: Readable) => {
      try {
        return jsonOf(await textOf(payload, { inflater: inflaterOf(request), maxBytes }));
      } catch (error) {
        // Drains the stream: destroying it would close the connection before the client receives the error.
        payload.resume();
        throw error;
      }
    },
  );
}

function inflaterOf({ headers }: FastifyRequest): Transform | undefined {
  const encoding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity") return undefined;
  const inflater = inflaters.get(encoding);
  if (inflater !== undefined) return inflater();
  throw new HubError("unknown-encoding", {
    message: `The body has the encoding ${JSON.stringify(encoding.slice(0, 50))}. Send gzip, deflate, br, or none.`,
  });
}

async function textOf(
  payload: Readable,
  { inflater, maxBytes }: { readonly inflater: Transform | undefined; readonly maxBytes: number },
): Promise<string> {
  if (inflater === undefined) return await read(payload, maxBytes);
  const end = (): void => void inflater.destroy(new Error("the body ends early"));
  // read() handles errors; without this listener, a later one would end the process.
  inflater.on("error", () => {});
  payload.once("error", end).pipe(inflater);
  try {
    return await read(inflater, maxBytes);
  } finally {
    payload.off("error", end).unpipe(inflater);
    inflater.destroy();
  }
}

async function read(stream: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const iterator: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of iterator) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError("invalid-body", {
      message: "The body is incomplete or does not match its Content-Encoding. Send it again.",
    });
  }
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(text: string): unknown {
  const problem = tooManyValues(text);
  if (problem !== undefined) throw problem;
  try {
    return JSON.parse(text);
  } catch {
    throw new HubError("invalid-body", { message: "The body is not JSON." });
  }
}

function tooLarge(maxBytes: number): HubError {
  return new HubError("body-too-large", {
    message: `The decompressed body has more than ${maxBytes} bytes. Audit fewer packages at once.`,
    headers: { connection: "close" },
  });
}
