import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A repository of the server: texts or bytes by path, by revision. */
export type Revisions = Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;

/** The faults of the server, one for each request; after these, it works. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly code?: string }
  /** Sends a part of the file, then closes the connection. */
  | { readonly kind: "cut"; readonly after: number }
  /** Sends a part of the file, then nothing. */
  | { readonly kind: "stall"; readonly after: number }
  /** Sends a part of the file, and the rest after a pause. */
  | { readonly kind: "pause"; readonly after: number; readonly ms: number }
  /** Sends other bytes. */
  | { readonly kind: "damage" }
  /** Ignores the range of the request. */
  | { readonly kind: "whole" };

export interface HubServer extends AsyncDisposable {
  readonly url: string;
  /** The requests so far: path, range and whether they had a token. */
  readonly requests: readonly {
    path: string;
    range: string | undefined;
    token: string | undefined;
  }[];
  /** Requests to the other origin that large files are redirected to. */
  readonly storage: readonly {
    path: string;
    range: string | undefined;
    token: string | undefined;
  }[];
  /** Faults for requests of files. */
  readonly faults: Fault[];
  /** Faults for requests of the API. */
  readonly apiFaults: Fault[];
}

export interface HubServerOptions {
  readonly datasets: Readonly<Record<string, Revisions>>;
  /** The token without which files are refused. */
  readonly token?: string;
  /** Pages of lists have this many entries. */
  readonly pageSize?: number;
  /** Files of at least this size are redirected to another origin, like those of Git LFS. Default 1000. */
  readonly largeFile?: number;
}

/** A server with the part of the hub's API that reads datasets. */
export async function hubServer(options: HubServerOptions): Promise<HubServer> {
  const requests: HubServer["requests"][number][] = [];
  const stored: HubServer["storage"][number][] = [];
  const faults: Fault[] = [];
  const apiFaults: Fault[] = [];
  const { datasets, token, pageSize = 1000, largeFile = 1000 } = options;
  const describe = ({ url = "", headers }: IncomingMessage) => ({
    path: decodeURIComponent(url.split("?")[0]!),
    range: headers.range,
    token: headers.authorization,
  });

  const storage = createServer((request, response) => {
    stored.push(describe(request));
    const [, name, commit, path] = /^\/(.+)@([^/]+)\/(.*)$/.exec(describe(request).path) ?? [];
    const revision = Object.entries(datasets[name!]!).find(
      ([key]) => commitOf(name!, key) === commit,
    );
    sendFile(request, response, Buffer.from(revision![1][path!]!), faults.shift());
  });
  const hub = createServer((request, response) => {
    requests.push(describe(request));
    const { path } = describe(request);
    const query = new URL(request.url!, "http://hub").searchParams;
    const isApi = path.startsWith("/api/");
    const match = isApi
      ? /^\/api\/datasets\/([^/]+\/[^/]+)\/(revision|tree)\/([^?]+)$/.exec(path)
      : /^\/datasets\/([^/]+\/[^/]+)\/(resolve)\/([^/]+)\/(.+)$/.exec(path);
    if (match === null) return refuse(response, 404, "EntryNotFound");
    const [, name = "", action, asked = "", file = ""] = match;
    if (isApi) {
      const fault = apiFaults.shift();
      if (fault?.kind === "status") return refuse(response, fault.status, fault.code);
      if (fault?.kind === "stall") return;
    }
    const repository = datasets[name];
    if (repository === undefined)
      return refuse(response, request.headers.authorization ? 404 : 401, "RepoNotFound");
    const [revision, files] =
      Object.entries(repository).find(([key]) => key === asked || commitOf(name, key) === asked) ??
      [];
    if (revision === undefined || files === undefined)
      return refuse(response, 404, "RevisionNotFound");
    const commit = commitOf(name, revision);
    if (action === "revision")
      return json(response, {
        id: name,
        _id: "1",
        sha: commit,
        lastModified: 0,
        siblings: Object.keys(files).map((path) => ({ rfilename: path })),
      });
    if (action === "tree") {
      const start = Number(query.get("cursor") ?? 0);
      const entries = Object.entries(files).map(([path, content]) =>
        entryOf(path, Buffer.from(content), largeFile),
      );
      const next = start + pageSize;
      if (next < entries.length)
        response.setHeader(
          "link",
          `<http://${request.headers.host}/api/datasets/${name}/tree/${asked}?recursive=true&cursor=${next}>; rel="next"`,
        );
      return json(
        response,
        [{ type: "directory", path: "data", size: 0, oid: "0" }, ...entries].slice(start, next),
      );
    }
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return refuse(response, request.headers.authorization ? 403 : 401, "GatedRepo");
    const content = files[file];
    if (content === undefined) return refuse(response, 404, "EntryNotFound");
    const bytes = Buffer.from(content);
    const { size, oid, lfs } = entryOf(file, bytes, largeFile);
    response.setHeader("x-repo-commit", commit);
    response.setHeader("etag", `"${oid}"`);
    response.setHeader("x-linked-etag", `"${lfs?.oid ?? oid}"`);
    response.setHeader("x-linked-size", size);
    if (bytes.length < largeFile) return sendFile(request, response, bytes, faults.shift());
    const { port } = storage.address() as AddressInfo;
    response
      .writeHead(302, { location: `http://127.0.0.1:${port}/${name}@${commit}/${file}` })
      .end();
  });
  for (const server of [hub, storage])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // Uses another host than the storage, as the real hub does.
    url: `http://localhost:${(hub.address() as AddressInfo).port}`,
    requests,
    storage: stored,
    faults,
    apiFaults,
    [Symbol.asyncDispose]: async () => {
      for (const server of [hub, storage]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** The commit of a revision. */
export function commitOf(name: string, revision: string): string {
  return createHash("sha1").update(`${name}@${revision}`).digest("hex");
}

interface Entry {
  readonly type: "file";
  readonly path: string;
  readonly size: number;
  readonly oid: string;
  readonly lfs?: { readonly oid: string; readonly size: number; readonly pointerSize: number };
}

function entryOf(path: string, bytes: Buffer, largeFile: number): Entry {
  const oid = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const entry = { type: "file", path, size: bytes.length, oid } as const;
  if (bytes.length < largeFile) return entry;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...entry, lfs: { oid: sha256, size: bytes.length, pointerSize: 130 } };
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  fault: Fault | undefined,
): void {
  if (fault?.kind === "status") return refuse(response, fault.status, fault.code);
  const bytes = fault?.kind === "damage" ? Buffer.alloc(content.length, "x") : content;
  const range = fault?.kind === "whole" ? undefined : request.headers.range;
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
  if (start > 0 && start >= bytes.length) return refuse(response, 416);
  const rest = bytes.subarray(start);
  response.writeHead(range === undefined ? 200 : 206, { "content-length": rest.length });
  if (fault === undefined || !("after" in fault)) return void response.end(rest);
  response.write(rest.subarray(0, fault.after), () => {
    // Ends the connection later, because the client would drop bytes that it has not read.
    if (fault.kind === "cut") setTimeout(() => response.destroy(), 50);
    if (fault.kind === "pause")
      setTimeout(() => response.end(rest.subarray(fault.after)), fault.ms);
  });
}

function refuse(response: ServerResponse, status: number, code?: string): void {
  response.writeHead(status, {
    "retry-after": "0",
    ...(code === undefined ? {} : { "x-error-code": code }),
  });
  response.end("refused");
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
