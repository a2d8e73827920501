import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { FailureError, onInterrupt, paint } from "@envs/cli/kit";
import type { BrowserPlay, PlayInBrowser } from "@envs/cli/kit/environments";
import { checkRequirements } from "@envs/core/engine";
import { foreignRequestProblem } from "@envs/models/server";

import { playFiles, type ServedFile } from "./play-files.ts";

/** Serves the page of an environment until the command is interrupted. */
export const playInBrowser: PlayInBrowser = async (play) => {
  const files = await playFiles(play.loaded, play.environment);
  // Reports code that cannot run in a browser first, before missing requirements.
  await checkRequirements(play.environment);
  await using server = await servePlayFiles(files, play.port);
  const { signal, dispose } = onInterrupt(() => undefined);
  process.stdout.write(`Play ${play.environment.name} at ${addressOf(server.url, play)}\n`);
  process.stderr.write(paint("dim", "Press Ctrl-C to stop.\n", process.stderr));
  if (!signal.aborted) await once(signal, "abort");
  dispose();
  return 0;
};

/** Options of the command are parameters of the page, which starts with them. */
function addressOf(url: string, { config, example, seed, split }: BrowserPlay): string {
  const address = new URL(url);
  if (example > 0) address.searchParams.set("example", `${example}`);
  if (seed !== 0) address.searchParams.set("seed", `${seed}`);
  if (split !== undefined) address.searchParams.set("split", split);
  if (Object.keys(config).length > 0) address.searchParams.set("config", JSON.stringify(config));
  return address.href;
}

/** A server on this machine. */
interface PlayServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves files to this machine only. `port` 0 is any free port. */
async function servePlayFiles(
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
