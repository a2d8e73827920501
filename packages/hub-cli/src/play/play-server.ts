import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { FailureError } from "@envs/cli/kit";
import { foreignRequestProblem } from "@envs/models/server";

import type { ServedFile } from "./play-files.ts";

/** A server on this machine. */
export interface PlayServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves files to this machine only. `port` 0 is any free port. */
export async function servePlayFiles(
  files: ReadonlyMap<string, ServedFile>,
  port: number,
): Promise<PlayServer> {
  const server = createServer(handler(files));
  try {
    server.listen({ host: "127.0.0.1", port });
    await once(server, "listening");
  } catch (error) {
    throw new FailureError(
      `Cannot listen on port ${port}: ${(error as Error).message}. Choose another port with --port, or 0 for any free port.`,
    );
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${actual}/`,
    [Symbol.asyncDispose]: () => close(server),
  };
}

/** Pages of other sites, and names that resolve to this machine, are rejected: the code may be private. */
function handler(files: ReadonlyMap<string, ServedFile>): RequestListener {
  return (request, response) => {
    const problem = foreignRequestProblem(request.headers);
    if (problem !== undefined) {
      response.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end(`${problem}\n`);
      return;
    }
    const [path = "/"] = (request.url ?? "/").split("?");
    const file = files.get(path);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (file === undefined || !isRead) {
      response.writeHead(isRead ? 404 : 405, { "content-type": "text/plain" }).end("Not found.\n");
      return;
    }
    response.writeHead(200, file.headers).end(request.method === "HEAD" ? undefined : file.body);
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
