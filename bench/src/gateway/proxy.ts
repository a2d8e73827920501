import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

// A server that passes requests on to the origin of the first argument, and replies back, without reading either.
const origin = process.argv[2] ?? "";
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, response) => {
  const { method, headers, url } = incoming;
  const outgoing = request(`${origin}${url}`, { method, headers, agent }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  incoming.pipe(outgoing);
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: "127.0.0.1" }, () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${port}`, keys: ["none"] }));
});
