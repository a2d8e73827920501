import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A request, and the status of its response. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
}

/** A proxy between a client and a hub that records the exchanges. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** Returns the exchanges since the last call. */
  takeExchanges(): readonly Exchange[];
}

/** Starts a proxy in front of a hub. It passes the client's Host header on unchanged. */
export async function recordingProxy(hub: string): Promise<RecordingProxy> {
  let exchanges: Exchange[] = [];
  const { hostname, port } = new URL(hub);
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const onward = request({ hostname, port, method, path, headers }, (response) => {
      const status = response.statusCode ?? 0;
      exchanges.push({ method, path, headers, status });
      outgoing.writeHead(status, response.headers);
      response.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    takeExchanges() {
      const recorded = exchanges;
      exchanges = [];
      return recorded;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
