import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import type { McpServer } from "@modelcontextprotocol/server";

/** A streamable HTTP server on a free port, with a new MCP server for each session. */
export async function httpServer(create: () => McpServer) {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const requests: { method: string; headers: IncomingHttpHeaders }[] = [];
  let status: number | undefined;
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method!, headers: request.headers });
    if (status !== undefined) return void response.writeHead(status).end();
    const id = request.headers["mcp-session-id"];
    let transport = sessions.get(String(id));
    if (transport === undefined && id !== undefined) return void response.writeHead(404).end();
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, transport!),
        onsessionclosed: (session) => void sessions.delete(session),
      });
      await create().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sessions,
    requests,
    /** Makes the server answer all requests with a status; `undefined` for normal answers. */
    answerWith: (next: number | undefined) => (status = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
