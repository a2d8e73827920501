import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { packed } from "./publish.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A registry that responds as a test wants, and records what the hub sends. */
export interface TestUpstream extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
  /** Handles the requests of a path; the last handler of a path counts. */
  on(path: string, handler: Handler): void;
  /** Serves a package with one file per version, whose content is `content`. */
  serve(name: string, versions: Readonly<Record<string, string>>): void;
}

/** Starts a registry on loopback that has no packages. */
export async function testUpstream(): Promise<TestUpstream> {
  const handlers = new Map<string, Handler>();
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const handler = handlers.get(request.url ?? "");
    if (handler === undefined) return response.writeHead(404).end("{}");
    return handler(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const on = (path: string, handler: Handler): void => void handlers.set(path, handler);
  return {
    url,
    requests,
    on,
    serve(name, versions) {
      const document = packument(url, name, versions);
      on(`/${name.replace("/", "%2f")}`, json(document));
      for (const [version, content] of Object.entries(versions))
        on(tarballPath(name, version), (_request, response) =>
          response.end(tarballOf(name, version, content)),
        );
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Responds with a document, or with 304 if the client has it. */
export function json(document: unknown): Handler {
  const text = JSON.stringify(document);
  const etag = `"${createHash("sha256").update(text).digest("hex")}"`;
  return (request, response) => {
    if (request.headers["if-none-match"] === etag) return response.writeHead(304).end();
    return response.writeHead(200, { "content-type": "application/json", etag }).end(text);
  };
}

export function tarballPath(name: string, version: string): string {
  return `/${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
}

export function tarballOf(name: string, version: string, content: string): Uint8Array<ArrayBuffer> {
  return packed({ name, version }, { "index.js": content });
}

/** The packument of a package; `versions` has the content of each version. */
export function packument(url: string, name: string, versions: Readonly<Record<string, string>>) {
  const entries = Object.entries(versions).map(([version, content]) => {
    const bytes = tarballOf(name, version, content);
    const hash = (algorithm: string): Buffer => createHash(algorithm).update(bytes).digest();
    const dist = {
      integrity: `sha512-${hash("sha512").toString("base64")}`,
      shasum: hash("sha1").toString("hex"),
      tarball: `${url}${tarballPath(name, version)}`,
    };
    return [version, { name, version, dist }] as const;
  });
  return {
    name,
    "dist-tags": { latest: Object.keys(versions).at(-1)! },
    versions: Object.fromEntries(entries),
    time: { modified: "2026-01-02T03:04:05.000Z" },
  };
}
