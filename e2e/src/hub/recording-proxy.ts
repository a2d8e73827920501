import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that passed by, and how it was answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
}

/** Stands between a client and a hub and writes down what passes. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** What passed since the last call. */
  taken(): readonly Exchange[];
}

/** Starts a proxy in front of a hub, which keeps the name that the client asked for. */
export async function recordingProxy(hub: string): Promise<RecordingProxy> {
  let exchanges: Exchange[] = [];
  const { hostname, port } = new URL(hub);
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      exchanges.push({ method, path, headers, status });
      outgoing.writeHead(status, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    taken() {
      const all = exchanges;
      exchanges = [];
      return all;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
